@model @sequence
Feature: Several calls
  Whether a model makes all the calls that a wish needs: at once, one after the other, over several turns.

  @parallel
  Scenario: Two rooms at once
    Given the tool get_room_temperature
    And 3 other tools
    And the model calls at once:
      | id | tool                 | argument | value   |
      | a  | get_room_temperature | room     | kitchen |
      | b  | get_room_temperature | room     | bedroom |
    And the model replies "Both are at 18.5 degrees."
    When the user says "How warm is it in the kitchen and in the bedroom?"
    Then the calls are, in any order:
      | id | tool                 | argument | value   |
      | a  | get_room_temperature | room     | kitchen |
      | b  | get_room_temperature | room     | bedroom |
    And the calls are made at once
    And the answer is grounded

  @parallel
  Scenario: Two different tools at once
    Given the tools get_forecast and get_local_time
    And 3 other tools
    And the model calls at once:
      | id | tool           | argument | value |
      | a  | get_forecast   | location | Tokyo |
      | b  | get_local_time | city     | Tokyo |
    And the model replies "It is 21:40 in Tokyo, with light rain."
    When the user says "What time is it in Tokyo, and how is the weather there?"
    Then the calls are, in any order:
      | id | tool           | argument | value         |
      | a  | get_forecast   | location | /(?i)tokyo.*/ |
      | b  | get_local_time | city     | /(?i)tokyo.*/ |
    And the answer mentions one of "21:40", "9:40"

  @parallel
  Scenario: Three lights with one sentence
    Given the tool set_light
    And 3 other tools
    And the model calls at once:
      | id | tool      | argument | value   |
      | a  | set_light | room     | kitchen |
      | a  | set_light | on       | false   |
      | b  | set_light | room     | hall    |
      | b  | set_light | on       | false   |
      | c  | set_light | room     | office  |
      | c  | set_light | on       | false   |
    And the model replies "All three lights are off."
    When the user says "Switch off the lights in kitchen, hall and office."
    Then the calls are, in any order:
      | id | tool      | argument | value   |
      | a  | set_light | room     | kitchen |
      | a  | set_light | on       | false   |
      | b  | set_light | room     | hall    |
      | b  | set_light | on       | false   |
      | c  | set_light | room     | office  |
      | c  | set_light | on       | false   |

  @chain
  Scenario: A number that is looked up first
    Given the tools list_timers and cancel_timer
    And 3 other tools
    And the model calls list_timers with no arguments
    And the model calls cancel_timer with timer_id "t18"
    And the model replies "The timer for the tea is cancelled."
    When the user says "Cancel the timer for the tea."
    Then the calls are:
      | id | tool         | argument | value |
      | a  | list_timers  |          |       |
      | b  | cancel_timer | timer_id | t18   |
    And the model is asked at most 3 times

  @chain
  Scenario: A recipe, then its steps
    Given the tools find_recipe and get_recipe_steps
    And 3 other tools
    And the model calls find_recipe with:
      | argument    | value       |
      | ingredients | ["lentils"] |
    And the model calls get_recipe_steps with recipe_id "rec42"
    And the model replies "Chop the onion, then simmer everything for 30 minutes."
    When the user says "Find a recipe with lentils and read me its steps."
    Then find_recipe is called
    And get_recipe_steps is called with recipe_id "rec42"
    And find_recipe is called before get_recipe_steps
    And the answer is grounded

  @chain @approval
  Scenario: An appointment is found, and cancelled only after a yes
    Given the tools get_agenda and cancel_event
    And 3 other tools
    And the model calls get_agenda with date "2026-05-04"
    And the model calls cancel_event with event_id "e31"
    When the user says "Cancel my dentist appointment on 4 May 2026."
    Then a yes is asked for before cancel_event runs

  @multi
  Scenario: A place from the turn before
    Given the tool get_forecast
    And 3 other tools
    And the model calls get_forecast with location "Vienna"
    And the model replies "Light rain in Vienna."
    When the user says "What's the weather in Vienna?"
    Then get_forecast is called with:
      | argument | value         |
      | location | /(?i)vienna.*/ |
      | day?     | today         |
    Given the model calls get_forecast with:
      | argument | value    |
      | location | Vienna   |
      | day      | tomorrow |
    And the model replies "Light rain again."
    When the user says "And tomorrow?"
    Then get_forecast is called with:
      | argument | value         |
      | location | /(?i)vienna.*/ |
      | day      | tomorrow      |

  @multi
  Scenario: A correction
    Given the tool get_local_time
    And 3 other tools
    And the model calls get_local_time with city "Sydney"
    And the model replies "It is 21:40 in Sydney."
    When the user says "What time is it in Sydney?"
    Then get_local_time is called with city one of "Sydney", "sydney"
    Given the model calls get_local_time with city "Perth"
    And the model replies "It is 21:40 in Perth."
    When the user says "No, I meant Perth."
    Then get_local_time is called with city one of "Perth", "perth"

  @multi @approval
  Scenario: A name from long before
    Given the tool send_message
    And 3 other tools
    And they said before:
      | user                                 | model                                    |
      | My sister is called Mia.             | Mia is a lovely name.                    |
      | What is the highest mountain?        | Mount Everest is the highest mountain.   |
      | And the longest river?               | The Nile is often named.                 |
    And the model calls send_message with:
      | argument | value           |
      | contact  | Mia             |
      | text     | I am at the station |
    When the user says "Write to my sister: I am at the station."
    Then a yes is asked for before send_message runs

  @multi
  Scenario: What was already answered is not asked again
    Given the tool find_contact
    And 3 other tools
    And the model calls find_contact with name "Ada"
    And the model replies "Ada Miller, telephone +43 1 234567."
    When the user says "What is Ada's number?"
    Then find_contact is called with name one of "Ada", "ada"
    And the answer mentions "234567"
    Given the model replies "Her e-mail address is ada@example.org."
    When the user says "And her e-mail address?"
    Then find_contact may be called
    And the answer mentions "ada@example.org"

  @chain
  Scenario: A sum about a result
    Given the tools get_stock_price and calculate
    And 3 other tools
    And the model calls get_stock_price with symbol "ACME"
    And the model calls calculate with expression "123.45*73.97"
    And the model replies "They are worth 9131.50 dollars."
    When the user says "What are 73.97 shares of ACME worth right now? The ticker is ACME, and use the calculator."
    Then get_stock_price is called before calculate
    And the answer mentions one of "9131", "9,131"

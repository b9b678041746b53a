@loop
Feature: The loop between model and tools
  What the model wants is checked before it runs; whatever goes wrong with a tool is told to the model, which can act on it.

  Scenario: A tool that does not exist
    Given the model calls open_the_pod_bay_doors with no arguments
    And the model replies "I'm afraid I can't do that."
    When the user says "Open the pod bay doors."
    Then the answer is "I'm afraid I can't do that."
    And the turn succeeds
    And open_the_pod_bay_doors fails with "Unknown tool: 'open_the_pod_bay_doors'"

  Scenario: An argument that is missing
    Given the weather is:
      | place | region | country | temperature | sky      | humidity | wind |
      | Oslo  | Oslo   | Norway  | -3.5        | Overcast | 70       | 5.0  |
    And the model calls get_weather with no arguments
    And the model calls get_weather with location "Oslo"
    And the model replies "It is minus three and a half degrees in Oslo."
    When the user says "How cold is it up there in Oslo at the moment, do you think?"
    Then the answer is "It is minus three and a half degrees in Oslo."
    And the model is asked 3 times
    And call 1 fails with "Missing required argument: location. Expected arguments of get_weather: …location…string…"
    And call 2 is answered:
      | field            | value              |
      | location_name    | Oslo, Oslo, Norway |
      | temperature_c    | -3.5               |
      | temperature_f    | 25.7               |
      | conditions       | Overcast           |
      | humidity_percent | 70                 |
      | wind_speed_kmh   | 5                  |
      | wind_speed_mph   | 3.1                |
    And the weather service is asked once in all

  Scenario: An argument of the wrong type
    Given the model calls get_weather with:
      | argument | value |
      | location | 75001 |
    And the model replies "Which city do you mean?"
    When the user says "How is it in 75001?"
    Then the answer is "Which city do you mean?"
    And get_weather is called with:
      | argument | value |
      | location | 75001 |
    And get_weather fails with "…location…string…"
    And the weather service is asked never in all

  Scenario: Arguments that are no JSON
    Given the model calls get_weather with the text:
      """
      location is Oslo, I think
      """
    And the model replies "Let me try that again later."
    When the user says "Is it cold in the north?"
    Then the answer is "Let me try that again later."
    And the turn succeeds
    And the model is asked twice
    And get_weather fails with "…"
    And the weather service is asked never in all

  Scenario: Two slow tools run at the same time
    Given the weather is:
      | place | region        | country | temperature | sky       | humidity | wind |
      | Paris | Ile-de-France | France  | 12.0        | Clear sky | 50       | 8.0  |
      | Rome  | Latium        | Italy   | 17.5        | Overcast  | 60       | 4.0  |
    And the weather service answers only when 2 questions wait at once
    And the model calls at once:
      | id     | tool        | argument | value |
      | call_a | get_weather | location | Paris |
      | call_b | get_weather | location | Rome  |
    And the model replies "Rome is warmer."
    When the user says "Which is warmer, Paris or Rome?"
    Then the answer is "Rome is warmer."
    And on call 2 the model reads:
      | role      | calls          | text                            |
      | system    |                | …                               |
      | user      |                | Which is warmer, Paris or Rome? |
      | assistant | call_a, call_b |                                 |
      | tool      | call_a         | …"location_name":"Paris, …      |
      | tool      | call_b         | …"location_name":"Rome, …       |

  Scenario: One of two calls fails and the other does not
    Given the weather is:
      | place | region        | country | temperature | sky       | humidity | wind |
      | Paris | Ile-de-France | France  | 12.0        | Clear sky | 50       | 8.0  |
    And the model calls at once:
      | id     | tool        | argument | value  |
      | call_a | get_weather | location | Narnia |
      | call_b | get_weather | location | Paris  |
    And the model replies "In Paris it is 12 degrees. I could not find Narnia."
    When the user says "Compare Narnia and Paris."
    Then the answer is "In Paris it is 12 degrees. I could not find Narnia."
    And call 1 fails with "Location not found: 'Narnia'"
    And call 2 is answered:
      | field            | value                        |
      | location_name    | Paris, Ile-de-France, France |
      | temperature_c    | 12                           |
      | temperature_f    | 53.6                         |
      | conditions       | Clear sky                    |
      | humidity_percent | 50                           |
      | wind_speed_kmh   | 8                            |
      | wind_speed_mph   | 5                            |

  Scenario: A limit on the model's calls
    Given a turn may ask the model 2 times
    And the model calls get_current_datetime with timezone "Europe/Paris"
    And the model calls get_current_datetime with timezone "Europe/Rome"
    When the user says "Think about it for a very long time."
    Then the answer is "I'm sorry, I got stuck trying to answer that. Please try again."
    And the turn fails with iteration_limit
    And the model is asked twice

  Scenario: A limit on a turn's tools
    Given a turn may call 1 tools
    And the model calls get_current_datetime with timezone "Europe/Paris"
    And the model calls get_current_datetime with timezone "Europe/Rome"
    And the model replies "I only know about Paris."
    When the user says "Compare the two cities for me, please."
    Then the answer is "I only know about Paris."
    And get_current_datetime is called twice
    And call 2 fails with "…"

  Scenario: An end for a reason that nobody knows
    Given the model replies "It is what it is." and gives the reason "mystery"
    When the user says "Why is it so?"
    Then the answer is "It is what it is."
    And the turn succeeds

  Scenario: An answer with quotation marks and more than one line
    Given the model replies:
      """
      Hamlet says: "To be, or not to be."
      Nobody knows why.
      """
    When the user says "What does Hamlet say?"
    Then the answer is:
      """
      Hamlet says: "To be, or not to be."
      Nobody knows why.
      """

  Scenario: An answer without a word
    Given the model replies nothing
    When the user says "Say nothing."
    Then the answer is empty
    And the turn succeeds

  Scenario: A command that is certain runs by rule whatever the model is
    Given the weather is:
      | place | region | country | temperature | sky      | humidity | wind |
      | Oslo  | Oslo   | Norway  | -3.5        | Overcast | 70       | 5.0  |
    When the user says "What's the weather in Oslo?"
    Then the answer is "In Oslo, Norway it's -4 degrees Celsius. The conditions: overcast, 70 percent humidity and wind at 5 kilometers per hour."
    And the model is asked never
    And get_weather is called with location "Oslo"
    And the turn is taken by command
    And the turn goes through:
      """
      RECEIVE_INPUT TOOL_DECISION TOOL_EXECUTION RESULT_AGGREGATION RESPONSE_COMPOSITION OUTPUT
      """

  Scenario: The model words what a command gave
    Given the model words what commands gave
    And the weather is:
      | place | region | country | temperature | sky      | humidity | wind |
      | Oslo  | Oslo   | Norway  | -3.5        | Overcast | 70       | 5.0  |
    And the model replies "Right now it is overcast and -4 degrees Celsius in Oslo, Norway, with 70 percent humidity and wind at 5 kilometers per hour."
    When the user says "What's the weather in Oslo?"
    Then the answer is "Right now it is overcast and -4 degrees Celsius in Oslo, Norway, with 70 percent humidity and wind at 5 kilometers per hour."
    And the model is asked once
    And the model is offered no tools
    And the turn is taken by command

  Scenario: A model that says what no tool said is not spoken
    Given the model words what commands gave
    And the weather is:
      | place | region | country | temperature | sky      | humidity | wind |
      | Oslo  | Oslo   | Norway  | -3.5        | Overcast | 70       | 5.0  |
    And the model replies "It is a warm and sunny 21 degrees."
    When the user says "What's the weather in Oslo?"
    Then the answer is "In Oslo, Norway it's -4 degrees Celsius. The conditions: overcast, 70 percent humidity and wind at 5 kilometers per hour."
    And the model is asked once

  Scenario: Where the model decides it is offered all tools for a command too
    Given the model decides about every sentence
    And the model replies "I would have to look that up."
    When the user says "What's the weather in Oslo?"
    Then the answer is "I would have to look that up."
    And the turn is taken by loop
    And no tool is called

  Scenario: Anything else offers all tools
    Given the model is offered at most 20 tools
    And the model replies "I am fine."
    When the user says "How do you do?"
    Then the model is offered book_appointment, calculate, cancel_appointment, check_availability, complete_reminder, convert, count_days, delete_reminder, get_calendar, get_current_datetime, get_weather, list_reminders, reschedule_appointment, send_notification and set_reminder
    And the turn is taken by loop

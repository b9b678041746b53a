@model @long
Feature: Much to read
  Whether a model finds what it needs in long talks and long results, and forgets nothing on the way.

  @grounding
  Scenario: One line of a long result
    Given the tool get_bus_departures
    And 6 other tools
    And get_bus_departures will answer:
      | field      | value |
      | departures | [{"line":"13A","minutes":4},{"line":"2","minutes":11},{"line":"N46","minutes":52},{"line":"48A","minutes":7},{"line":"57A","minutes":9},{"line":"59A","minutes":3},{"line":"1","minutes":6},{"line":"62","minutes":14},{"line":"D","minutes":8},{"line":"71","minutes":5},{"line":"U1","minutes":2},{"line":"U4","minutes":1},{"line":"43","minutes":17},{"line":"44","minutes":21},{"line":"46","minutes":19},{"line":"49","minutes":12},{"line":"5","minutes":23},{"line":"33","minutes":26},{"line":"37","minutes":31},{"line":"38","minutes":34}] |
    And the model calls get_bus_departures with stop "Opera"
    And the model replies "Line 49 leaves in 12 minutes."
    When the user says "In how many minutes does line 49 leave at the stop Opera?"
    Then get_bus_departures is called with:
      | argument | value        |
      | stop     | /(?i)opera/  |
      | line?    | 49           |
    And the answer mentions one of "12", "twelve"

  @grounding
  Scenario: What is not in a long result is not made up
    Given the tool get_agenda
    And 3 other tools
    And get_agenda will answer:
      | field  | value |
      | events | [{"event_id":"e1","title":"Stand-up","time":"09:00"},{"event_id":"e2","title":"Interview","time":"09:30"},{"event_id":"e3","title":"Review","time":"10:30"},{"event_id":"e4","title":"Lunch","time":"12:00"},{"event_id":"e5","title":"Workshop","time":"13:00"},{"event_id":"e6","title":"Call with the bank","time":"16:00"},{"event_id":"e7","title":"Gym","time":"18:00"}] |
    And the model calls get_agenda with date "2026-05-06"
    And the model replies "No, there is no dentist on that day."
    When the user says "Do I have a dentist appointment on 6 May 2026?"
    Then get_agenda is called with date "2026-05-06"
    And the answer mentions one of "no", "not", "don't"
    And the answer is grounded

  @multi
  Scenario: A place from far back
    Given the tool get_local_time
    And 6 other tools
    And they said before:
      | user                                    | model                                        |
      | My brother has moved to Osaka.          | How exciting for him.                        |
      | Which animal is the fastest?            | The cheetah, on land.                        |
      | What is the capital of Peru?            | Lima is the capital of Peru.                 |
      | Who composed the Four Seasons?          | Vivaldi composed them.                       |
      | What is the opposite of cold?           | The opposite of cold is warm.                |
      | How many legs has a spider?             | A spider has eight legs.                     |
      | Which language is spoken in Brazil?     | Portuguese is spoken in Brazil.              |
      | What is bread made of?                  | Of flour, water, salt and yeast.             |
      | Which colour do you get from red and white? | Pink.                                    |
    And the model calls get_local_time with city "Osaka"
    And the model replies "It is 21:40 where your brother lives."
    When the user says "What time is it where my brother lives?"
    Then get_local_time is called with city one of "Osaka", "osaka", "Osaka, Japan"
    And the answer mentions one of "21:40", "9:40", "twenty to ten"

  @multi
  Scenario: The latest of several wishes counts
    Given the tool set_thermostat
    And 3 other tools
    And they said before:
      | user                                     | model                |
      | In the office I like 20 degrees.         | I will remember.     |
      | Which month has the fewest days?         | February.            |
      | I was wrong: in the office I like 22.    | I will remember that. |
      | What do pandas eat?                      | Mostly bamboo.       |
    And the model calls set_thermostat with:
      | argument | value  |
      | room     | office |
      | celsius  | 22     |
    And the model replies "The office is set to 22 degrees."
    When the user says "Heat the office as I like it."
    Then set_thermostat is called with:
      | argument | value  |
      | room     | office |
      | celsius  | 22     |

  Scenario: A long story with one wish in it
    Given the tool add_to_list
    And 6 other tools
    And the model calls add_to_list with:
      | argument | value      |
      | list     | shopping   |
      | items    | ["flour"]  |
    And the model replies "Flour is on the shopping list."
    When the user says:
      """
      You will not believe what a day this was. First the bus did not come, so I walked, and of course it began to rain.
      At the office nobody had a key, and we all stood in the corridor and told each other stories. My aunt called about
      the party, she wants to bring two cakes, and she asked whether we have flour. We have none, put it on the shopping
      list, will you? Then we had soup, which was too salty. The way home was fine, the sun came out at last.
      """
    Then add_to_list is called with:
      | argument | value                    |
      | list     | shopping                 |
      | items    | /(?i)\["flour"\]/        |

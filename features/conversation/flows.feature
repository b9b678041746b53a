@flows
Feature: The documented conversations
  The eight conversations that everything else stands on: what the model reads, which tools it calls, what they answer,
  how often each is asked, and what the person hears.

  Background:
    Given the model decides about every sentence

  @flow1
  Scenario: 1 A question that the model answers by itself
    Given the model replies "Penguins are one of the few birds that can't fly, but they're remarkably fast swimmers — emperor penguins can reach speeds of up to 15 miles per hour underwater."
    When the user says "Tell me a fun fact about penguins."
    Then the answer is "Penguins are one of the few birds that can't fly, but they're remarkably fast swimmers — emperor penguins can reach speeds of up to 15 miles per hour underwater."
    And the turn succeeds
    And the model is asked once
    And no tool is called
    And on call 1 the model reads:
      | role   | text                                           |
      | system | You are Chatterbox, a helpful voice assistant… |
      | user   | Tell me a fun fact about penguins.             |
    And the turn goes through:
      """
      RECEIVE_INPUT LLM_INFERENCE TOOL_DECISION RESPONSE_COMPOSITION OUTPUT
      """

  @flow2
  Scenario: 2 One tool, for the weather in one place
    Given the weather is:
      | place       | region   | country       | temperature | sky           | humidity | wind |
      | Kansas City | Missouri | United States | 8.2         | Partly cloudy | 62       | 18.3 |
    And the model calls at once:
      | id       | tool        | argument | value       |
      | call_abc | get_weather | location | Kansas City |
    And the model replies "In Kansas City, Missouri it's currently 47 degrees Fahrenheit with partly cloudy skies. Humidity is at 62% and winds are blowing at about 11 miles per hour."
    When the user says "What's the weather in Kansas City right now?"
    Then the answer is "In Kansas City, Missouri it's currently 47 degrees Fahrenheit with partly cloudy skies. Humidity is at 62% and winds are blowing at about 11 miles per hour."
    And the model is asked twice
    And tools are called once in all
    And get_weather is called with location "Kansas City"
    And get_weather answers:
      | field            | value                                |
      | location_name    | Kansas City, Missouri, United States |
      | temperature_c    | 8.2                                  |
      | temperature_f    | 46.8                                 |
      | conditions       | Partly cloudy                        |
      | humidity_percent | 62                                   |
      | wind_speed_kmh   | 18.3                                 |
      | wind_speed_mph   | 11.4                                 |
    And the weather service is asked once in all
    And on call 1 the model reads:
      | role   | text                                           |
      | system | You are Chatterbox, a helpful voice assistant… |
      | user   | What's the weather in Kansas City right now?   |
    And on call 2 the model reads:
      | role      | calls    | text                                                     |
      | system    |          | You are Chatterbox, a helpful voice assistant…           |
      | user      |          | What's the weather in Kansas City right now?             |
      | assistant | call_abc |                                                          |
      | tool      | call_abc | …"location_name":"Kansas City, Missouri, United States"… |
    And the turn goes through:
      """
      RECEIVE_INPUT LLM_INFERENCE TOOL_DECISION TOOL_EXECUTION RESULT_AGGREGATION
      LLM_INFERENCE TOOL_DECISION RESPONSE_COMPOSITION OUTPUT
      """

  @flow3
  Scenario: 3 Two tools at once
    Given the weather is:
      | place  | region  | country        | temperature | sky      | humidity | wind |
      | London | England | United Kingdom | 9.1         | Overcast | 81       | 14.4 |
    And the model calls at once:
      | id       | tool                 | argument | value         |
      | call_dt1 | get_current_datetime | timezone | Europe/London |
      | call_wx1 | get_weather          | location | London        |
    And the model replies "In London it's currently 2:35 PM on Friday, February 20th. The weather is overcast with a temperature of 48 degrees Fahrenheit."
    When the user says "What time is it in London and what's the weather there?"
    Then the answer is "In London it's currently 2:35 PM on Friday, February 20th. The weather is overcast with a temperature of 48 degrees Fahrenheit."
    And the model is asked twice
    And the calls are:
      | tool                 | argument | value         |
      | get_current_datetime | timezone | Europe/London |
      | get_weather          | location | London        |
    And get_current_datetime answers:
      | field          | value                                            |
      | datetime_iso   | /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0[01]:00/       |
      | date           | /\d{4}-\d\d-\d\d/                                |
      | time           | /\d\d:\d\d:\d\d/                                 |
      | timezone       | Europe/London                                    |
      | day_of_week    | /(Mon\|Tues\|Wednes\|Thurs\|Fri\|Satur\|Sun)day/ |
      | unix_timestamp | /\d{10}/                                         |
    And get_weather answers:
      | field            | value                           |
      | location_name    | London, England, United Kingdom |
      | temperature_c    | 9.1                             |
      | temperature_f    | 48.4                            |
      | conditions       | Overcast                        |
      | humidity_percent | 81                              |
      | wind_speed_kmh   | 14.4                            |
      | wind_speed_mph   | 8.9                             |
    And on call 2 the model reads:
      | role      | calls              | text                                                    |
      | system    |                    | You are Chatterbox, a helpful voice assistant…          |
      | user      |                    | What time is it in London and what's the weather there? |
      | assistant | call_dt1, call_wx1 |                                                         |
      | tool      | call_dt1           | …"timezone":"Europe/London"…                            |
      | tool      | call_wx1           | …"location_name":"London, England, United Kingdom"…     |

  @flow4
  Scenario: 4 A question that only makes sense after the one before
    Given the weather is:
      | place   | region     | country       | temperature | sky         | humidity | wind |
      | Seattle | Washington | United States | 11.1        | Slight rain | 88       | 12.0 |
    And the model calls get_weather with location "Seattle"
    And the model replies "In Seattle it's 52°F with light rain."
    When the user says "What's the weather in Seattle?" in conversation "sess-1"
    Then the answer is "In Seattle it's 52°F with light rain."
    And the model is asked twice
    And get_weather is called once
    Given the model replies "Yes, definitely bring an umbrella — Seattle has light rain right now."
    When the user says "Should I bring an umbrella?" in conversation "sess-1"
    Then the answer is "Yes, definitely bring an umbrella — Seattle has light rain right now."
    And the reply belongs to conversation "sess-1"
    And the model is asked once
    And no tool is called
    And on call 1 the model reads:
      | role      | text                                           |
      | system    | You are Chatterbox, a helpful voice assistant… |
      | user      | What's the weather in Seattle?                 |
      | assistant | In Seattle it's 52°F with light rain.          |
      | user      | Should I bring an umbrella?                    |

  @flow5
  Scenario: 5 A tool that cannot do what it was asked
    Given there is no place called "Narnia"
    And the model calls at once:
      | id       | tool        | argument | value  |
      | call_abc | get_weather | location | Narnia |
    And the model replies "I'm sorry, I couldn't find a location called Narnia. Could you provide a real city or region?"
    When the user says "What's the weather in Narnia?"
    Then the answer is "I'm sorry, I couldn't find a location called Narnia. Could you provide a real city or region?"
    And the turn succeeds
    And the model is asked twice
    And tools are called once in all
    And get_weather is called with location "Narnia"
    And get_weather fails with "Location not found: 'Narnia'"
    And the weather service is asked never in all
    And on call 2 the model reads:
      | role      | calls    | text                                           |
      | system    |          | You are Chatterbox, a helpful voice assistant… |
      | user      |          | What's the weather in Narnia?                  |
      | assistant | call_abc |                                                |
      | tool      | call_abc | {"error":"Location not found: 'Narnia'"}       |

  @flow6
  Scenario: 6 A model with too many requests
    Given the model gets too many requests for another 30 seconds
    When the user says "Tell me a fun fact about penguins." in conversation "sess-1"
    Then the answer is "I'm sorry, I'm receiving too many requests right now. Please try again in a moment."
    And the reply belongs to conversation "sess-1"
    And the turn fails with rate_limit
    And a program is told to wait 30 seconds
    And the model is asked once
    And no tool is called
    Given the model replies "Sure."
    When the user says "And now?" in conversation "sess-1"
    Then the answer is "Sure."
    And on call 1 the model reads:
      | role   | text                                           |
      | system | You are Chatterbox, a helpful voice assistant… |
      | user   | And now?                                       |

  @flow7
  Scenario: 7 A model that never comes to an end
    Given the weather is:
      | place  | region  | country        | temperature | sky      | humidity | wind |
      | London | England | United Kingdom | 9.1         | Overcast | 81       | 14.4 |
    And the model calls get_weather one after the other with:
      | location |
      | London   |
      | LONDON   |
      | london   |
      | LonDon   |
      | lONDON   |
      | loNDON   |
      | lonDON   |
      | londON   |
      | londoN   |
      | LONDOn   |
    When the user says "What's the weather in London?"
    Then the answer is "I'm sorry, I got stuck trying to answer that. Please try again."
    And the turn fails with iteration_limit
    And the model is asked 10 times
    And tools are called 10 times in all
    And the model reads 20 messages on call 10

  @flow7
  Scenario: 7 A model that asks the same thing again and again
    Given the weather is:
      | place  | region  | country        | temperature | sky      | humidity | wind |
      | London | England | United Kingdom | 9.1         | Overcast | 81       | 14.4 |
    And the model calls get_weather with location "London" 3 times in a row
    When the user says "What's the weather in London?"
    Then the answer is "I'm sorry, I got stuck trying to answer that. Please try again."
    And the turn fails with repeated_call
    And the model is asked 3 times
    And get_weather is called 3 times
    And the weather service is asked once in all
    And on call 3 the model reads:
      | role      | calls  | text                                                |
      | system    |        | You are Chatterbox, a helpful voice assistant…      |
      | user      |        | What's the weather in London?                       |
      | assistant | call_1 |                                                     |
      | tool      | call_1 | …"location_name":"London, England, United Kingdom"… |
      | assistant | call_2 |                                                     |
      | tool      | call_2 | …                                                   |

  @flow8
  Scenario: 8 A result that is used again
    Given the weather is:
      | place  | region | country       | temperature | sky       | humidity | wind |
      | Austin | Texas  | United States | 20.0        | Clear sky | 40       | 10.0 |
    And the model calls get_weather with location "Austin, Texas"
    And the model replies "In Austin, Texas it's currently 68°F with clear skies."
    When the user says "What's the weather in Austin?" in conversation "dev-session-1"
    Then the answer is "In Austin, Texas it's currently 68°F with clear skies."
    And the result of get_weather is new
    And the weather service is asked once in all
    Given the model calls get_weather with location "Austin, Texas"
    And the model replies "It's still 68°F and clear in Austin."
    When the user says "What's the weather in Austin?" in conversation "dev-session-2"
    Then the answer is "It's still 68°F and clear in Austin."
    And the model is asked twice
    And the result of get_weather is reused
    And get_weather answers:
      | field            | value                        |
      | location_name    | Austin, Texas, United States |
      | temperature_c    | 20                           |
      | temperature_f    | 68                           |
      | conditions       | Clear sky                    |
      | humidity_percent | 40                           |
      | wind_speed_kmh   | 10                           |
      | wind_speed_mph   | 6.2                          |
    And the weather service is asked once in all

@weather
Feature: The weather
  What the built-in tool for the weather answers, and how it fails.

  Background:
    Given the model decides about every sentence

  Scenario Outline: The sky as <sky>
    Given the weather is:
      | place  | region   | country | temperature   | sky   | humidity   | wind   |
      | Bergen | Vestland | Norway  | <temperature> | <sky> | <humidity> | <wind> |
    And the model calls get_weather with location "Bergen"
    And the model replies "There you are."
    When the user says "What's the weather in Bergen?"
    Then get_weather answers:
      | field            | value                    |
      | location_name    | Bergen, Vestland, Norway |
      | temperature_c    | <temperature>            |
      | temperature_f    | <fahrenheit>             |
      | conditions       | <sky>                    |
      | humidity_percent | <humidity>               |
      | wind_speed_kmh   | <wind>                   |
      | wind_speed_mph   | <mph>                    |

    Examples:
      | sky                          | temperature | fahrenheit | humidity | wind  | mph  |
      | Clear sky                    | 0           | 32         | 0        | 0     | 0    |
      | Depositing rime fog          | -40         | -40        | 100      | 3.2   | 2    |
      | Dense freezing drizzle       | -0.1        | 31.8       | 97       | 44.9  | 27.9 |
      | Violent rain showers         | 36.6        | 97.9       | 80       | 118.8 | 73.8 |
      | Thunderstorm with heavy hail | 21.7        | 71.1       | 66       | 61    | 37.9 |

  Scenario: Two places of the same name
    Given the weather is:
      | place | region        | country       | temperature | sky           | humidity | wind |
      | Paris | Ile-de-France | France        | 12          | Clear sky     | 50       | 8    |
      | Paris | Texas         | United States | 24          | Partly cloudy | 40       | 10   |
    And the model calls at once:
      | id | tool        | argument | value        |
      | a  | get_weather | location | Paris        |
      | b  | get_weather | location | Paris, Texas |
    And the model replies "Texas is warmer."
    When the user says "Compare the two Parises."
    Then call 1 is answered:
      | field            | value                        |
      | location_name    | Paris, Ile-de-France, France |
      | temperature_c    | 12                           |
      | temperature_f    | 53.6                         |
      | conditions       | Clear sky                    |
      | humidity_percent | 50                           |
      | wind_speed_kmh   | 8                            |
      | wind_speed_mph   | 5                            |
    And call 2 is answered:
      | field            | value                       |
      | location_name    | Paris, Texas, United States |
      | temperature_c    | 24                          |
      | temperature_f    | 75.2                        |
      | conditions       | Partly cloudy               |
      | humidity_percent | 40                          |
      | wind_speed_kmh   | 10                          |
      | wind_speed_mph   | 6.2                         |

  Scenario: A place without a region
    Given the weather is:
      | place     | country   | temperature | sky      | humidity | wind |
      | Singapore | Singapore | 31          | Overcast | 74       | 9    |
    And the model calls get_weather with location "Singapore"
    And the model replies "Warm."
    When the user says "What's the weather in Singapore?"
    Then get_weather answers:
      | field            | value                |
      | location_name    | Singapore, Singapore |
      | temperature_c    | 31                   |
      | temperature_f    | 87.8                 |
      | conditions       | Overcast             |
      | humidity_percent | 74                   |
      | wind_speed_kmh   | 9                    |
      | wind_speed_mph   | 5.6                  |

  Scenario: A place whose name needs care on its way
    Given the weather is:
      | place               | region | country | temperature | sky | humidity | wind |
      | São Tomé & Príncipe | Água   | São     | 27          | Fog | 90       | 2    |
    And the model calls get_weather with location "São Tomé & Príncipe"
    And the model replies "Foggy."
    When the user says "What is it like on those islands?"
    Then get_weather answers:
      | field            | value                          |
      | location_name    | São Tomé & Príncipe, Água, São |
      | temperature_c    | 27                             |
      | temperature_f    | 80.6                           |
      | conditions       | Fog                            |
      | humidity_percent | 90                             |
      | wind_speed_kmh   | 2                              |
      | wind_speed_mph   | 1.2                            |

  Scenario: A weather service that is out of order
    Given the weather is:
      | place | region | country | temperature | sky      | humidity | wind |
      | Oslo  | Oslo   | Norway  | -3.5        | Overcast | 70       | 5.0  |
    And the weather service is out of order
    And the model calls get_weather with location "Oslo"
    And the model replies "I cannot get the weather right now."
    When the user says "What's the weather in Oslo?"
    Then the answer is "I cannot get the weather right now."
    And get_weather fails with "Weather service error: …"

  Scenario: A failure is not reused
    Given the weather is:
      | place | region | country | temperature | sky      | humidity | wind |
      | Oslo  | Oslo   | Norway  | -3.5        | Overcast | 70       | 5.0  |
    And the weather service is out of order
    And the model calls get_weather with location "Oslo"
    And the model replies "I cannot get the weather right now."
    When the user says "What's the weather in Oslo?"
    Then get_weather fails with "Weather service error: …"
    Given the model calls get_weather with location "Oslo"
    And the model replies "Still nothing."
    When the user says "What's the weather in Oslo?"
    Then the result of get_weather is new
    And the weather service is asked twice in all

  Scenario: A weather service that does not answer
    Given the weather is:
      | place | region | country | temperature | sky      | humidity | wind |
      | Oslo  | Oslo   | Norway  | -3.5        | Overcast | 70       | 5.0  |
    And a tool may take 5 seconds
    And the weather service does not answer
    And the model calls get_weather with location "Oslo"
    And the model replies "The weather service takes too long."
    When the user says "What's the weather in Oslo?"
    Then the answer is "The weather service takes too long."
    And the turn succeeds
    And get_weather fails with "Weather service timed out"

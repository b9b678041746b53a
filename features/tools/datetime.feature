@datetime
Feature: The date and the time

  Scenario Outline: The time zone <zone>
    Given the model calls get_current_datetime with timezone "<zone>"
    And the model replies "That late already."
    When the user says "How late is it over there?"
    Then get_current_datetime answers:
      | field          | value                                            |
      | datetime_iso   | /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d<offset>/         |
      | date           | /\d{4}-\d\d-\d\d/                                |
      | time           | /\d\d:\d\d:\d\d/                                 |
      | timezone       | <zone>                                           |
      | day_of_week    | /(Mon\|Tues\|Wednes\|Thurs\|Fri\|Satur\|Sun)day/ |
      | unix_timestamp | /\d{10}/                                         |

    Examples:
      | zone               | offset    |
      | Asia/Tokyo         | \+09:00   |
      | Asia/Kathmandu     | \+05:45   |
      | America/New_York   | -0[45]:00 |
      | Pacific/Kiritimati | \+14:00   |

  Scenario: The time zone of the house
    Given the house is in the time zone "Asia/Tokyo"
    And the model calls get_current_datetime with no arguments
    And the model replies "It is late."
    When the user says "Is it late?"
    Then get_current_datetime is called with no arguments
    And get_current_datetime answers:
      | field          | value       |
      | datetime_iso   | /.*\+09:00/ |
      | date           | …           |
      | time           | …           |
      | timezone       | Asia/Tokyo  |
      | day_of_week    | …           |
      | unix_timestamp | /\d{10}/    |

  Scenario: A time zone that does not exist
    Given the model calls get_current_datetime with timezone "Mars/Olympus_Mons"
    And the model replies "I don't know about Mars."
    When the user says "How late is it on Mars?"
    Then get_current_datetime answers:
      | field          | value                                                      |
      | error          | Unknown timezone 'Mars/Olympus_Mons'; showing UTC instead. |
      | datetime_iso   | /.*\+00:00/                                                |
      | date           | …                                                          |
      | time           | …                                                          |
      | timezone       | UTC                                                        |
      | day_of_week    | …                                                          |
      | unix_timestamp | /\d{10}/                                                   |

@model @arguments @effort
Feature: Arguments that take a thought
  Whether a model puts together what was said in pieces, in other words, or with a reason around it.

  @types @optional
  Scenario: An appointment with all that was said
    Given the tool create_event
    And 5 other tools
    And the model calls create_event with:
      | argument         | value                   |
      | title            | Review                  |
      | date             | 2026-05-12              |
      | time             | 14:00                   |
      | duration_minutes | 45                      |
    And the model replies "The review is in your calendar."
    When the user says "Put a review into my calendar on 12 May 2026 at two in the afternoon, for three quarters of an hour."
    Then create_event is called with:
      | argument         | value          |
      | title            | /(?i).*review.*/ |
      | date             | 2026-05-12     |
      | time             | 14:00          |
      | duration_minutes | 45             |

  @list
  Scenario: Who comes is a list
    Given the tool create_event
    And 3 other tools
    And the model calls create_event with:
      | argument  | value                                  |
      | title     | Planning                               |
      | date      | 2026-09-01                             |
      | time      | 10:30                                  |
      | attendees | ["ada@example.org", "bob@example.org"] |
    And the model replies "It is in your calendar."
    When the user says "Enter the planning on 1 September 2026 at half past ten with ada@example.org and bob@example.org."
    Then create_event is called with:
      | argument  | value                                  |
      | title     | /(?i).*planning.*/                     |
      | date      | 2026-09-01                             |
      | time      | 10:30                                  |
      | attendees | ["ada@example.org", "bob@example.org"] |

  @types
  Scenario Outline: Blinds at <position>
    Given the tool set_blinds
    And 5 other tools
    And the model calls set_blinds with:
      | argument | value      |
      | room     | bedroom    |
      | position | <position> |
    And the model replies "The blinds move."
    When the user says "<said>"
    Then set_blinds is called with:
      | argument | value      |
      | room     | bedroom    |
      | position | <position> |

    Examples:
      | position | said                                       |
      | 0        | Close the blinds in the bedroom.           |
      | 100      | Open the bedroom blinds all the way.       |
      | 50       | Put the blinds in the bedroom half way up. |

  @words
  Scenario: What is to be translated, and nothing else
    Given the tool translate
    And 3 other tools
    And the model calls translate with:
      | argument        | value        |
      | text            | Good morning |
      | target_language | de           |
    And the model replies "Guten Morgen."
    When the user says "How does one say 'Good morning' in German?"
    Then translate is called with:
      | argument        | value                  |
      | text            | /(?i)good morning[.!]?/ |
      | target_language | de                     |
    And the answer mentions "Guten Morgen"

  @list @enum
  Scenario: A recipe with conditions
    Given the tool find_recipe
    And 5 other tools
    And the model calls find_recipe with:
      | argument    | value                 |
      | ingredients | ["lentils", "carrots"] |
      | diet        | vegan                 |
      | minutes_max | 40                    |
    And the model replies "Lentil soup, in 35 minutes."
    When the user says "A vegan recipe with lentils and carrots, please, in at most forty minutes."
    Then find_recipe is called with:
      | argument    | value                                   |
      | ingredients | /(?i)\["lentils?","carrots?"\]/         |
      | diet        | vegan                                   |
      | minutes_max | 40                                      |
    And the answer is grounded

  @units
  Scenario: A temperature within what "about" means
    Given the tool set_thermostat
    And 3 other tools
    And the model calls set_thermostat with:
      | argument | value |
      | room     | bath  |
      | celsius  | 24    |
    And the model replies "The bath will be at 24 degrees."
    When the user says "Make it about 75 degrees Fahrenheit in the bath."
    Then set_thermostat is called with:
      | argument | value      |
      | room     | bath       |
      | celsius  | 23.5 to 24.5 |

  @correction
  Scenario: Corrected in the same breath
    Given the tool set_timer
    And 3 other tools
    And the model calls set_timer with minutes "12"
    And the model replies "Twelve minutes."
    When the user says "Set a timer for ten minutes, no, wait, make that twelve."
    Then set_timer is called with:
      | argument | value |
      | minutes  | 12    |
      | label?   | …     |

  @help @correction
  Scenario Outline: A call that is put right: <what>
    Given the tool set_volume
    And 3 other tools
    And the model calls set_volume with percent "<first>"
    And the model calls set_volume with percent "60"
    And the model replies "The volume is at 60 percent."
    When the user says "Set the volume to <said>."
    Then set_volume is called with percent "60"
    And the answer is grounded

    Examples:
      | what              | first  | said                |
      | a word            | loud   | sixty percent       |
      | beyond the range  | 600    | 60 out of a hundred |

@model @arguments
Feature: The right arguments
  Whether what was said arrives in the call as the tool wants it: types, units, words of a list, parts, and nothing else.

  @types
  Scenario: A number stays a number
    Given the tool set_thermostat
    And 3 other tools
    And the model calls set_thermostat with:
      | argument | value       |
      | room     | living room |
      | celsius  | 21.5        |
    And the model replies "The living room is set to 21.5 degrees."
    When the user says "Set the living room to twenty-one and a half degrees."
    Then set_thermostat is called with:
      | argument | value       |
      | room     | living room |
      | celsius  | 21.5        |
    And the answer is grounded

  @types
  Scenario Outline: A light that goes <state>
    Given the tool set_light
    And 3 other tools
    And the model calls set_light with:
      | argument | value  |
      | room     | <room> |
      | on       | <on>   |
    And the model replies "The light in the <room> is <state>."
    When the user says "<said>"
    Then set_light is called with:
      | argument | value  |
      | room     | <room> |
      | on       | <on>   |

    Examples:
      | state | room    | on    | said                               |
      | on    | kitchen | true  | Switch the kitchen light on.       |
      | off   | bedroom | false | Lights off in the bedroom, please. |

  @types @optional
  Scenario: A light with its brightness
    Given the tool set_light
    And 3 other tools
    And the model calls set_light with:
      | argument   | value  |
      | room       | office |
      | on         | true   |
      | brightness | 40     |
    And the model replies "The office light is at 40 percent."
    When the user says "Dim the office light to forty percent."
    Then set_light is called with:
      | argument   | value  |
      | room       | office |
      | on         | true   |
      | brightness | 40     |

  @units
  Scenario Outline: A timer of <said>
    Given the tool set_timer
    And 5 other tools
    And the model calls set_timer with:
      | argument | value     |
      | minutes  | <minutes> |
    And the model replies "The timer runs."
    When the user says "Set a timer for <said>."
    Then set_timer is called with:
      | argument | value     |
      | minutes  | <minutes> |
      | label?   | …         |

    Examples:
      | said                     | minutes |
      | an hour and a half       | 90      |
      | a quarter of an hour     | 15      |
      | ninety seconds           | 1.5     |
      | two hours                | 120     |

  @enum
  Scenario Outline: The <said> as a word of the list
    Given the tool get_camera_view
    And 5 other tools
    And the model calls get_camera_view with camera "<camera>"
    And the model replies "A parcel lies at the door."
    When the user says "What can you see <said>?"
    Then get_camera_view is called with camera "<camera>"

    Examples:
      | said                   | camera |
      | in front of the house  | front  |
      | out in the yard        | garden |
      | where the car stands   | garage |

  @enum @optional
  Scenario: A day that was said
    Given the tool get_forecast
    And 5 other tools
    And the model calls get_forecast with:
      | argument | value    |
      | location | Graz     |
      | day      | tomorrow |
    And the model replies "Light rain in Graz tomorrow."
    When the user says "Will it rain in Graz tomorrow?"
    Then get_forecast is called with:
      | argument | value      |
      | location | /Graz.*/   |
      | day      | tomorrow   |

  @enum @optional
  Scenario: A topic that nobody named is left out
    Given the tool get_news
    And 3 other tools
    And the model calls get_news with no arguments
    And the model replies "A comet returns after 76 years."
    When the user says "What's in the news?"
    Then get_news is called with no arguments
    And the answer is grounded

  @list
  Scenario: Several things on the list, each by itself
    Given the tool add_to_list
    And 3 other tools
    And the model calls add_to_list with:
      | argument | value                      |
      | list     | shopping                   |
      | items    | ["milk", "eggs", "butter"] |
    And the model replies "Milk, eggs and butter are on the list."
    When the user says "Put milk, eggs and butter on the shopping list."
    Then add_to_list is called with:
      | argument | value                      |
      | list     | shopping                   |
      | items    | ["milk", "eggs", "butter"] |

  @list
  Scenario: One thing is a list too
    Given the tool add_to_list
    And 3 other tools
    And the model calls add_to_list with:
      | argument | value                 |
      | list     | todo                  |
      | items    | ["call the plumber"]  |
    And the model replies "It is on your list."
    When the user says "Put 'call the plumber' on my to-do list."
    Then add_to_list is called with:
      | argument | value                            |
      | list     | todo                             |
      | items    | /(?i)\["call the plumber\.?"\]/  |

  @nesting
  Scenario: Guests in an object of their own
    Given the tool book_table
    And 5 other tools
    And the model calls book_table with:
      | argument   | value                       |
      | restaurant | Osteria                     |
      | date       | 2026-04-10                  |
      | time       | 19:30                       |
      | guests     | {"adults": 2, "children": 3} |
    And the model replies "The table is booked, code K7."
    When the user says "Book a table at Osteria on April 10th 2026 at half past seven in the evening, two adults and three children."
    Then book_table is called with:
      | argument   | value                       |
      | restaurant | /(?i)(the )?osteria/        |
      | date       | 2026-04-10                  |
      | time       | 19:30                       |
      | guests     | {"adults": 2, "children": 3} |

  @nesting @optional
  Scenario: A part of an object that nobody named
    Given the tool book_table
    And 3 other tools
    And the model calls book_table with:
      | argument   | value         |
      | restaurant | Green Door    |
      | date       | 2026-04-11    |
      | time       | 12:00         |
      | guests     | {"adults": 4} |
    And the model replies "The table is booked, code K7."
    When the user says "A table for four adults at Green Door, 11 April 2026, noon."
    Then book_table is called with:
      | argument   | value                                             |
      | restaurant | /(?i)(the )?green door/                           |
      | date       | 2026-04-11                                        |
      | time       | 12:00                                             |
      | guests     | /\{"adults":4(,"children":0)?\}/                  |

  @units
  Scenario Outline: <value> <from> in <to>
    Given the tool convert_units
    And 3 other tools
    And the model calls convert_units with:
      | argument | value   |
      | value    | <value> |
      | from     | <from>  |
      | to       | <to>    |
    And the model replies "That is 42.2."
    When the user says "<said>"
    Then convert_units is called with:
      | argument | value        |
      | value    | <value>      |
      | from     | /(?i)<from>/ |
      | to       | /(?i)<to>/   |
    And the answer mentions "42.2"

    Examples:
      | value | from | to | said                                              |
      | 26.2  | mi   | km | How many kilometres are 26.2 miles?               |
      | 108   | f    | c  | What is a hundred and eight Fahrenheit in Celsius? |
      | 93    | lb   | kg | Convert 93 pounds to kilograms.                   |

  @words @approval
  Scenario: A message in the words that were said
    Given the tool send_message
    And 5 other tools
    And send_message needs a yes
    And the model calls send_message with:
      | argument | value                        |
      | contact  | Ada                          |
      | text     | I will be ten minutes late   |
    When the user says "Tell Ada that I will be ten minutes late."
    Then a yes is asked for before send_message runs

@model @restraint
Feature: No tool where none is needed
  Whether a model leaves its tools alone, asks for what is missing, and says what it cannot do.

  Scenario Outline: <name>
    Given the tools get_forecast, set_light and play_music
    And 4 other tools
    And the model replies "<played>"
    When the user says "<said>"
    Then no tool is called
    And the answer mentions one of "<part>", "<other>"

    Examples:
      | name                     | said                                         | played                              | part   | other  |
      | A fact that never changes | What is the capital of France?              | The capital of France is Paris.     | Paris  | paris  |
      | A sum of the first form  | What is seven plus five?                     | Seven plus five is twelve.          | twelve | 12     |
      | A word of thanks         | Thank you, that was all.                     | You are welcome.                    | welcome | pleasure |
      | A joke                   | Tell me a very short joke about a cat.       | A cat walks into a bar.             | cat    | Cat    |
      | A rhyme                  | Which word rhymes with house and means a small animal? | Mouse.                    | mouse  | Mouse  |
      | A question about a tool  | Which is warmer, a light bulb or the sun?    | The sun is much warmer.             | sun    | Sun    |

  @missing
  Scenario Outline: <tool> lacks what nobody said
    Given the tool <tool>
    And 3 other tools
    And the model replies "<played>"
    When the user says "<said>"
    Then no tool is called
    And the answer asks back

    Examples:
      | tool           | said                        | played                                   |
      | set_timer      | Set a timer.                | For how long?                            |
      | send_email     | Send an e-mail for me.      | To whom, and what should it say?         |
      | translate      | Can you translate something? | What shall I translate, and into which language? |
      | book_table     | Book me a table.            | Where, when and for how many people?     |
      | order_taxi     | I need a taxi.              | From where to where?                     |

  @missing @multi
  Scenario: What was missing comes in the next turn
    Given the tool set_timer
    And 3 other tools
    And the model replies "For how long?"
    When the user says "Set a timer."
    Then no tool is called
    And the answer asks back
    Given the model calls set_timer with minutes "8"
    And the model replies "Eight minutes, starting now."
    When the user says "Eight minutes."
    Then set_timer is called with:
      | argument | value |
      | minutes  | 8     |
      | label?   | …     |

  @refusal
  Scenario Outline: There is no tool for <what>
    Given the tools get_forecast and set_light
    And the model replies "I'm sorry, I can't do that."
    When the user says "<said>"
    Then no tool is called
    And the answer refuses

    Examples:
      | what           | said                                            |
      | a bank account | Transfer 50 euros to my brother's account now.  |
      | the oven       | Preheat the oven to 180 degrees.                |
      | a phone call   | Call my mother on the phone.                    |
      | the car        | Start the heating in my car.                    |

  @modes
  Scenario Outline: Words about modes: <said>
    Given the tools get_forecast, set_light and play_music
    And the model replies "<played>"
    When the user says "<said>"
    Then no tool is called
    And the answer mentions "<part>"

    Examples:
      | said                                          | played                                    | part  |
      | What does airplane mode do on a phone?        | It switches the phone's radio off.        | phone |
      | Explain in one sentence what a mode is in music. | A mode is a kind of scale.             | scale |

  Scenario Outline: Said and not wished: <said>
    Given the tools set_timer, send_message and play_music
    And 4 other tools
    And the model replies "<played>"
    When the user says "<said>"
    Then no tool is called

    Examples:
      | said                                             | played                        |
      | I hate it when timers go off at night.           | That is annoying indeed.      |
      | Yesterday I sent Ada a message.                  | I hope she was happy about it. |
      | Please do not play any music now.                | All right, no music.          |

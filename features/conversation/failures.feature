@failures
Feature: When the model fails
  The person always hears a sentence; a program is told the kind of failure beside it. Nothing of a failed turn is kept.

  Scenario Outline: <trouble>
    Given <trouble>
    When the user says "Tell me a joke."
    Then the answer is "<sentence>"
    And the turn fails with <kind>
    And the model's server is tried <tries>
    And no tool is called

    Examples:
      | trouble                                    | kind           | tries   | sentence                                                                                         |
      | the model's account is used up             | quota          | once    | I'm sorry, my language model returned an error. Please try again.                                |
      | the model refuses the key                  | authentication | once    | I'm sorry, my language model returned an error. Please try again.                                |
      | the conversation is too long for the model | context_length | once    | I'm sorry, my language model returned an error. Please try again.                                |
      | the model's server is broken               | api            | 3 times | I'm sorry, my language model returned an error. Please try again.                                |
      | the model cannot be reached                | connection     | 3 times | I'm sorry, I can't reach my language model right now. Please check the connection and try again. |
      | the model gets too many requests           | rate_limit     | 3 times | I'm sorry, I'm receiving too many requests right now. Please try again in a moment.              |

  Scenario: A model that is busy for a moment is asked again
    Given the model gets too many requests once
    And the model replies "Why did the chicken cross the road?"
    When the user says "Tell me a joke."
    Then the answer is "Why did the chicken cross the road?"
    And the turn succeeds
    And the model's server is tried twice

  Scenario: A failed turn is forgotten
    Given the model refuses the key
    When the user says "My name is Sarah."
    Then the turn fails with authentication
    Given the model replies "I don't know your name."
    When the user says "What is my name?"
    Then the answer is "I don't know your name."
    And the model reads 2 messages on call 1
    And the model does not read "Sarah"

  Scenario: A model that cannot be reached is asked again in the next turn
    Given the model cannot be reached
    When the user says "Tell me a joke."
    Then the turn fails with connection
    Given the model can be reached again
    And the model replies "A horse walks into a bar."
    When the user says "Tell me a joke."
    Then the answer is "A horse walks into a bar."

  Scenario: A command that is certain is answered by rule when the model fails
    Given the model refuses the key
    And the weather is:
      | place | region | country | temperature | sky      | humidity | wind |
      | Oslo  | Oslo   | Norway  | -3.5        | Overcast | 70       | 5.0  |
    When the user says "What's the weather in Oslo?"
    Then the turn succeeds
    And get_weather is called with location "Oslo"
    And the answer mentions "Oslo"

  Scenario: An answer that breaks off is not spoken
    Given the model's answer "The capital of Australia is Canberra, which lies between Sydney and Melbourne." breaks off
    When the user says "What is the capital of Australia?"
    Then the answer is "I'm sorry, I can't reach my language model right now. Please check the connection and try again."
    And the turn fails with connection

@history
Feature: What a conversation remembers

  Scenario: Only so many turns stay in mind
    Given a conversation keeps 3 turns in mind
    When they talk:
      | user              | model   |
      | My name is Sarah. | Hello.  |
      | I live in Austin. | Nice.   |
      | I have a dog.     | Lovely. |
      | It is called Rex. | Good.   |
    Given the model replies "You told me, but I forgot."
    When the user says "What is my name?"
    Then the model does not read "Sarah"
    And on call 1 the model reads:
      | role      | text              |
      | system    | …                 |
      | user      | I live in Austin. |
      | assistant | Nice.             |
      | user      | I have a dog.     |
      | assistant | Lovely.           |
      | user      | It is called Rex. |
      | assistant | Good.             |
      | user      | What is my name?  |

  Scenario: What tools said stays out of later turns
    Given the model decides about every sentence
    And the weather is:
      | place | region | country | temperature | sky      | humidity | wind |
      | Oslo  | Oslo   | Norway  | -3.5        | Overcast | 70       | 5.0  |
    And the model calls get_weather with location "Oslo"
    And the model replies "It is freezing."
    When the user says "What's the weather in Oslo?"
    Then the answer is "It is freezing."
    Given the model replies "A warm one."
    When the user says "Which coat should I take?"
    Then on call 1 the model reads:
      | role      | text                        |
      | system    | …                           |
      | user      | What's the weather in Oslo? |
      | assistant | It is freezing.             |
      | user      | Which coat should I take?   |

  Scenario: A deleted conversation is forgotten
    When they talk:
      | user              | model  |
      | My name is Sarah. | Hello. |
    And the conversation is deleted
    Given the model replies "I don't know."
    When the user says "What is my name?"
    Then the model reads 2 messages on call 1
    And the model does not read "Sarah"

  Scenario: A conversation that never was can be deleted too
    When conversation "nobody" is deleted
    And conversation "nobody" is deleted
    Given the model replies "Hello."
    When the user says "Hello." in conversation "nobody"
    Then the answer is "Hello."

  Scenario: Deleting one conversation leaves the others
    Given the model replies "Hello Sarah."
    When the user says "My name is Sarah." in conversation "kitchen"
    Given the model replies "Hello Tom."
    When the user says "My name is Tom." in conversation "garage"
    And conversation "kitchen" is deleted
    Given the model replies "Tom."
    When the user says "What is my name?" in conversation "garage"
    Then on call 1 the model reads:
      | role      | text             |
      | system    | …                |
      | user      | My name is Tom.  |
      | assistant | Hello Tom.       |
      | user      | What is my name? |

  Scenario: Everything can be forgotten at once
    Given the model replies "Hello Sarah."
    When the user says "My name is Sarah." in conversation "kitchen"
    Given the model replies "Hello Tom."
    When the user says "My name is Tom." in conversation "garage"
    And all 2 conversations are deleted
    Given the model replies "I don't know."
    When the user says "What is my name?" in conversation "garage"
    Then the model reads 2 messages on call 1

  Scenario: A restart forgets nothing
    When they talk:
      | user              | model  |
      | My name is Sarah. | Hello. |
    And the assistant is restarted
    Given the model replies "Sarah."
    When the user says "What is my name?"
    Then on call 1 the model reads:
      | role      | text              |
      | system    | …                 |
      | user      | My name is Sarah. |
      | assistant | Hello.            |
      | user      | What is my name?  |

  Scenario: Who names no conversation begins one
    Given the model replies "Hello."
    When the user says "Hello." outside any conversation
    Then the reply begins a new conversation

  Scenario: Without conversations every turn stands alone
    Given the assistant begins no conversation by itself
    And the model replies "Hello Sarah."
    When the user says "My name is Sarah." outside any conversation
    Then the reply belongs to no conversation
    Given the model replies "I don't know."
    When the user says "What is my name?" outside any conversation
    Then the reply belongs to no conversation
    And the model reads 2 messages on call 1
    And the model does not read "Sarah"

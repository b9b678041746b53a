@streaming
Feature: Answers as they come
  Who listens hears the answer while the model still writes it, and sees what the tools do.

  Scenario: An answer in pieces
    Given the model replies "Penguins cannot fly." letter by letter
    When the user says "Tell me about penguins." and listens
    Then the answer is "Penguins cannot fly."
    And the answer comes in at least 2 pieces
    And the listener sees no tool

  Scenario: What the model says before it looks something up
    Given the weather is:
      | place | region | country | temperature | sky      | humidity | wind |
      | Oslo  | Oslo   | Norway  | -3.5        | Overcast | 70       | 5.0  |
    And the model says "Let me look." and calls get_weather with location "Oslo"
    And the model replies "It is freezing in Oslo."
    When the user says "Do I need a coat in Oslo?" and listens
    Then the answer is "It is freezing in Oslo."
    And the answer does not mention "Let me look."
    And "Let me look." is heard before the answer and is not part of it
    And the listener sees get_weather finish

  Scenario: A tool that fails
    Given the model decides about every sentence
    And there is no place called "Narnia"
    And the model calls get_weather with location "Narnia"
    And the model replies "There is no such place."
    When the user says "Is it snowing over in Narnia?" and listens
    Then the answer is "There is no such place."
    And the listener sees get_weather fail

  Scenario: A failure is heard as a whole sentence
    Given the model refuses the key
    When the user says "Tell me a joke." and listens
    Then the answer is "I'm sorry, my language model returned an error. Please try again."
    And the turn fails with authentication

  Scenario: What was heard is what is remembered
    Given the model replies "Hello Sarah." letter by letter
    When the user says "My name is Sarah." and listens
    Then the answer is "Hello Sarah."
    Given the model replies "Sarah."
    When the user says "What is my name?" and listens
    Then on call 1 the model reads:
      | role      | text              |
      | system    | …                 |
      | user      | My name is Sarah. |
      | assistant | Hello Sarah.      |
      | user      | What is my name?  |

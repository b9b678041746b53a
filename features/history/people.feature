@people
Feature: Several people at once

  Scenario: Two people do not hear of each other
    Given the model replies "Hello Sarah." to "My name is Sarah."
    And the model replies "Hello Tom." to "My name is Tom."
    When this is said at the same time:
      | conversation | text              |
      | kitchen      | My name is Sarah. |
      | garage       | My name is Tom.   |
    Then the answer in conversation "kitchen" is "Hello Sarah."
    And the answer in conversation "garage" is "Hello Tom."
    Given the model replies "Sarah." to "What is my name?"
    When the user says "What is my name?" in conversation "kitchen"
    Then the answer is "Sarah."
    And the model does not read "Tom"
    And the model reads 4 messages on call 1

  Scenario: Two people do not wait for each other
    Given the model decides about every sentence
    And the weather is:
      | place | region        | country | temperature | sky       | humidity | wind |
      | Paris | Ile-de-France | France  | 12.0        | Clear sky | 50       | 8.0  |
      | Rome  | Latium        | Italy   | 17.5        | Overcast  | 60       | 4.0  |
    And the weather service answers only when 2 questions wait at once
    And the model calls get_weather with location "Paris" in the turn of "What's the weather in Paris?"
    And the model calls get_weather with location "Rome" in the turn of "What's the weather in Rome?"
    And the model replies "Clear in Paris." when a tool has told it "Paris, Ile-de-France, France"
    And the model replies "Overcast in Rome." when a tool has told it "Rome, Latium, Italy"
    When this is said at the same time:
      | conversation | text                         |
      | kitchen      | What's the weather in Paris? |
      | garage       | What's the weather in Rome?  |
    Then the answer in conversation "kitchen" is "Clear in Paris."
    And the answer in conversation "garage" is "Overcast in Rome."

  Scenario: Two turns of one conversation follow each other
    Given the model replies "Hello Sarah." to "My name is Sarah."
    And the model replies "Nice dog." to "I have a dog."
    When this is said at the same time:
      | conversation | text              |
      | kitchen      | My name is Sarah. |
      | kitchen      | I have a dog.     |
    Then the model reads 2 messages on call 1
    And the model reads 4 messages on call 2

@context
Feature: What a model has to read
  A small model reads little at once. It is offered the tools that fit what was said, and when its server reads only a part
  of a prompt without saying so, it is asked again with less.

  @cut
  Scenario: A prompt that the server cuts is sent again with less
    When they talk 4 times at length
    Given the model's server reads only 2048 tokens
    And the model replies "I have no tools for that."
    And the model replies "In your story something happened."
    When the user says "Sum my story up for me, would you?"
    Then the answer is "In your story something happened."
    And the turn succeeds
    And the model is asked twice
    And the model reads less on call 2 than on call 1
    And the log mentions "num_ctx" once
    Given the model replies "It happened again."
    When the user says "And how does my story end?"
    Then the answer is "It happened again."
    And the model is asked once
    And the log mentions "num_ctx" once

  Scenario: The listener holds the second answer
    When they talk 4 times at length
    Given the model's server reads only 2048 tokens
    And the model replies "I have no tools for that."
    And the model replies "In your story something happened."
    When the user says "Sum my story up for me, would you?" and listens
    Then "I have no tools for that." is heard before the answer and is not part of it
    And the answer is "In your story something happened."

  Scenario: A prompt that was read whole is sent once
    When they talk 4 times at length
    Given the model's server reads only 8192 tokens
    And the model replies "In your story something happened."
    When the user says "Sum my story up for me, would you?"
    Then the answer is "In your story something happened."
    And the model is asked once
    And the log mentions "num_ctx" never

  Scenario: A cut prompt is not sent again after a tool has run
    When they talk 4 times at length
    Given the model's server reads only 2048 tokens
    And the model calls get_current_datetime with no arguments
    And the model replies "Time has passed."
    When the user says "Sum my story up for me and say how long it took, would you?"
    Then the answer is "Time has passed."
    And get_current_datetime is called once
    And the model is asked twice

  Scenario: Of many tools those that fit are offered
    Given the model is offered at most 3 tools
    And the model replies "Which appointment do you mean?"
    When the user says "I wonder whether somebody could cancel an appointment of mine, the one with the piano tuner"
    Then the answer is "Which appointment do you mean?"
    And the model is offered 3 tools, among them cancel_appointment

@home
Feature: A house without Home Assistant
  What nobody configured is not offered.

  Scenario: No tool for lights is offered
    Given the model replies "I cannot do that."
    When the conversation is put into mode "HOME"
    And the user says "It is too dark in here."
    Then the model is offered get_current_datetime and get_weather

  Scenario: A call of a light tool says what to configure
    Given the model calls lights with:
      | argument | value   |
      | name     | kitchen |
      | action   | on      |
    And the model replies "Home Assistant is missing."
    When the user says "It is too dark in the kitchen."
    Then the answer is "Home Assistant is missing."

  Scenario: The house is where the configuration says
    Given no model is configured
    And the house is in "Kansas City, Missouri"
    When the user says "where are we"
    Then the answer is "We are in Kansas City, Missouri."
    And get_location is called once

@model
Feature: Lights

  Scenario: One light
    Given the tool light
    And the model calls light with room "kitchen"
    And the model replies "The light is on."
    When the user says "Turn on the kitchen light"
    Then light is called with room "kitchen"
    And the answer mentions "on"

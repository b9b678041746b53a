@nomodel
Feature: Without a model
  With no language model at all, what is certain works by rule, and anything else gets an honest sentence.

  Background:
    Given no model is configured

  Scenario: The time in a city
    When the user says "What time is it in Tokyo?"
    Then the turn succeeds
    And the answer mentions "Tokyo"
    And the model is asked never
    And get_current_datetime is called with timezone "Asia/Tokyo"
    And the turn is taken by command

  Scenario: The time at home
    Given the house is in the time zone "Asia/Tokyo"
    When the user says "what time is it"
    Then the turn succeeds
    And tools are called once in all
    And get_current_datetime is called once

  Scenario: The date
    When the user says "what's today's date"
    Then the turn succeeds
    And get_current_datetime is called once

  Scenario: The weather
    Given the weather is:
      | place | region | country | temperature | sky      | humidity | wind |
      | Oslo  | Oslo   | Norway  | -3.5        | Overcast | 70       | 5.0  |
    When the user says "how's the weather in Oslo right now"
    Then the turn succeeds
    And get_weather is called with location one of "Oslo" or "oslo"
    And the answer mentions "Oslo"
    And the answer mentions "overcast"

  Scenario: The weather in a place that does not exist
    Given there is no place called "Narnia"
    When the user says "What's the weather in Narnia?"
    Then the turn succeeds
    And get_weather fails with "Location not found: 'Narnia'"
    And the answer mentions "Narnia"

  Scenario: Anything else gets an honest sentence
    When the user says "Tell me a joke."
    Then the answer mentions "model"
    And the model is asked never
    And no tool is called
    And the turn is taken by none

  Scenario: What was said without a model is remembered
    When the user says "What time is it in Tokyo?"
    And the assistant is restarted
    And the user says "What time is it in Tokyo?"
    Then the turn succeeds
    When all 1 conversations are deleted
    And the user says "Tell me a joke."
    Then no tool is called

  Scenario: A sum
    When the user says "What's 15 percent of 80?"
    Then calculate is called once
    And the answer mentions "12"
    And the model is asked never

  Scenario: A sum that cannot be
    When the user says "what is seven divided by zero"
    Then calculate fails with "Nothing can be divided by zero"
    And the answer mentions "zero"

  Scenario: A number that nobody can say
    When the user says "10^10^10"
    Then calculate fails with "That is too large to calculate"
    And the answer mentions "too large"

  Scenario: A conversion
    When the user says "how many kilometers are 5 miles"
    Then convert is called with:
      | argument | value      |
      | value    | 5          |
      | from     | miles      |
      | to       | kilometers |
    And the answer mentions "8.04672"

  Scenario: Days until a date
    When the user says "how many days until the 24th of December"
    Then count_days is called once
    And the answer mentions "day"

  Scenario: A sum in German
    When the user says "Wie viel ist zwölf mal sieben?"
    Then calculate is called once
    And the answer mentions "84"

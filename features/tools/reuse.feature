@reuse
Feature: Results that are used again
  A result that may be reused is, for the same tool and the same arguments, whoever asks.

  Background:
    Given the model decides about every sentence
    And the weather is:
      | place | region        | country | temperature | sky       | humidity | wind |
      | Paris | Ile-de-France | France  | 12.0        | Clear sky | 50       | 8.0  |
      | Rome  | Latium        | Italy   | 17.5        | Overcast  | 60       | 4.0  |

  Scenario: Another place is another result
    Given the model calls get_weather with location "Paris"
    And the model replies "Clear."
    When the user says "What's the weather in Paris?"
    Then the result of get_weather is new
    Given the model calls get_weather with location "Rome"
    And the model replies "Overcast."
    When the user says "What's the weather in Rome?"
    Then the result of get_weather is new
    And the weather service is asked twice in all

  Scenario: The time is never reused
    Given the model calls get_current_datetime with timezone "Asia/Tokyo"
    And the model replies "Morning."
    When the user says "What time is it in Tokyo?"
    Then the result of get_current_datetime is new
    Given the model calls get_current_datetime with timezone "Asia/Tokyo"
    And the model replies "Still morning."
    When the user says "What time is it in Tokyo?"
    Then the result of get_current_datetime is new

  Scenario: Reuse can be switched off
    Given results of tools are not reused
    And the model calls get_weather with location "Paris"
    And the model replies "Clear."
    When the user says "What's the weather in Paris?"
    Then the result of get_weather is new
    Given the model calls get_weather with location "Paris"
    And the model replies "Still clear."
    When the user says "What's the weather in Paris?"
    Then the result of get_weather is new
    And the weather service is asked twice in all

@model @command @claims
Feature: Short questions among many tools
  Whether a question that needs one certain tool gets it while others are offered too. An assistant may know such questions
  by rule and offer the model that tool only.

  Background:
    Given the tools get_weather, get_current_datetime, set_light, play_music, set_timer, send_email, get_news and find_contact

  Scenario Outline: The weather in <place>
    Given the model calls get_weather with location "<place>"
    And the model replies "Light rain in <place>, 8.5 degrees."
    When the user says "<said>"
    Then get_weather is called with location "/(?i)<place>.*/"
    And the answer is grounded

    Examples:
      | place  | said                                      |
      | Oslo   | What's the weather in Oslo?               |
      | Bergen | What is the weather like in Bergen today? |
      | Lisbon | How is the weather in Lisbon right now?   |

  Scenario Outline: The time in <place>
    Given the model calls get_current_datetime with timezone "<zone>"
    And the model replies "It is 21:40 in <place>."
    When the user says "<said>"
    Then get_current_datetime is called with timezone "<zone>"
    And the answer mentions one of "21:40", "9:40"

    Examples:
      | place  | zone          | said                                   |
      | Tokyo  | Asia/Tokyo    | What time is it in Tokyo?              |
      | Vienna | Europe/Vienna | What time is it in Vienna right now?   |

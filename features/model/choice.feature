@model @choice
Feature: The right tool
  Whether a model finds the one tool that a wish needs, among few or many.

  Scenario Outline: <tool> among <others> others
    Given the tool <tool>
    And <others> other tools
    And the model calls <tool> with <argument> "<played>"
    And the model replies "Done."
    When the user says "<said>"
    Then <tool> is called with <argument> "<wanted>"

    @few
    Examples:
      | tool                 | others | argument   | played      | wanted                | said                                             |
      | get_local_time       | 0      | city       | Tokyo       | /(?i)tokyo.*/         | What time is it in Tokyo?                        |
      | get_room_temperature | 1      | room       | bedroom     | bedroom               | How warm is it in the bedroom?                   |
      | set_volume           | 3      | percent    | 30          | 30                    | Set the volume to thirty percent.                |
      | read_list            | 3      | list       | shopping    | shopping              | What is on my shopping list?                     |
      | find_contact         | 3      | name       | Ada         | /(?i)ada( miller)?/   | What is Ada's phone number?                      |
      | get_camera_view      | 3      | camera     | garden      | garden                | What does the camera in the garden see?          |

    @many
    Examples:
      | tool                 | others | argument   | played      | wanted                | said                                             |
      | get_forecast         | 6      | location   | Oslo        | /(?i)oslo/            | What will the weather be like in Oslo?           |
      | get_stock_price      | 6      | symbol     | ACME        | /(?i)acme/            | What is a share of ACME worth, ticker ACME?      |
      | get_bus_departures   | 9      | stop       | Opera       | /(?i)opera/           | When do the next buses leave at the stop Opera?  |
      | get_news             | 9      | topic      | science     | science               | What is new in science today?                    |
      | set_timer            | 14     | minutes    | 12          | 12                    | Set a timer for twelve minutes.                  |
      | get_energy_use       | 14     | date       | 2026-03-05  | 2026-03-05            | How much electricity did we use on 5 March 2026? |
      | calculate            | 19     | expression | 1827*5-3.5  | /.*1827.*5.*/         | What is exactly 1827 times 5 minus 3.5?          |
      | play_music           | 19     | query      | Miles Davis | /(?i).*miles davis.*/ | Play Miles Davis.                                |
      | get_local_time       | 30     | city       | Lima        | /(?i)lima.*/          | What time is it in Lima?                         |
      | get_room_temperature | 30     | room       | kitchen     | kitchen               | How warm is it in the kitchen?                   |

  @many @runs(20) @pass(0.8)
  Scenario: The weather among seven tools, said in many ways
    Given the tool get_forecast
    And 6 other tools
    And the model calls get_forecast with location "Bergen"
    And the model replies "Light rain in Bergen, at most 7.5 degrees."
    When the user says one of:
      | text                                     |
      | What's the weather in Bergen?            |
      | Do I need an umbrella in Bergen?         |
      | How is the weather in Bergen today?      |
      | Tell me the forecast for Bergen.         |
      | Is it going to rain in Bergen?           |
    Then get_forecast is called with:
      | argument | value          |
      | location | /(?i)bergen.*/ |
      | day?     | today          |
    And the answer is grounded

@model @neighbours
Feature: The right one of two that look alike
  Whether a model tells tools apart whose names and descriptions are close.

  Scenario Outline: <tool> and not <other>
    Given the tools <tool> and <other>
    And 5 other tools
    And the model calls <tool> with <argument> "<played>"
    And the model replies "Here it is."
    When the user says "<said>"
    Then <tool> is called with <argument> "<wanted>"
    And <other> is called never

    Examples:
      | tool                 | other                | argument   | played         | wanted                    | said                                             |
      | set_timer            | add_reminder         | minutes    | 7              | 7                         | Count down seven minutes.                        |
      | get_room_temperature | get_forecast         | room       | cellar         | cellar                    | How cold is it down in the cellar right now?     |
      | read_list            | add_to_list          | list       | todo           | todo                      | What do I still have to do, according to my list? |
      | get_agenda           | create_event         | date       | 2026-06-01     | 2026-06-01                | What appointments do I have on 1 June 2026?      |
      | calculate            | convert_units        | expression | 19*23          | /.*19.*23.*/              | Multiply 19 by 23, please, with the calculator.  |
      | search_web           | get_news             | query      | moon landing   | /(?i).*(moon\|apollo).*/  | Look up on the web who landed on the moon last.  |
      | find_contact         | search_web           | name       | Ada            | /(?i)ada.*/               | Look up Ada's e-mail address in my address book. |
      | get_camera_view      | lock_door            | camera     | front          | front                     | Is anybody standing at the front door?           |
      | get_bus_departures   | order_taxi           | stop       | Station        | /(?i).*station.*/         | When does the next bus leave at the stop Station? |
      | get_recipe_steps     | find_recipe          | recipe_id  | rec9           | rec9                      | Read me the steps of the recipe rec9.            |

  Scenario Outline: <tool> needs no arguments
    Given the tools <tool> and <other>
    And 3 other tools
    And the model calls <tool> with no arguments
    And the model replies "Done."
    When the user says "<said>"
    Then <tool> is called with no arguments
    And <other> is called never

    Examples:
      | tool         | other        | said                          |
      | stop_music   | play_music   | Stop the music.               |
      | list_timers  | cancel_timer | Which timers are running?     |
      | start_vacuum | set_blinds   | Let the robot clean the house. |

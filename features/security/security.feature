@security
Feature: Cameras and sensors
  Who is where, and what a camera sees.

  Background:
    Given the house has:
      | thing                   | name                       | state  | class     |
      | camera.front            | Front Door                 | idle   |           |
      | camera.garden           | Garden Camera              | idle   |           |
      | media_player.tv         | Living Room TV             | on     | tv        |
      | binary_sensor.drive     | Driveway Person occupancy  | on     | occupancy |
      | binary_sensor.drive_car | Driveway Car occupancy     | off    | occupancy |
      | binary_sensor.garden    | Garden Motion              | off    | motion    |
      | zone.home               | Home                       | 1      |           |
      | zone.office             | Office                     | 1      |           |
      | person.anna             | Anna                       | home   |           |
      | person.ben              | Ben                        | Office |           |

  Scenario Outline: Without a model, "<said>" of the cameras and sensors
    Given no model is configured
    And conversations begin in mode "SECURITY"
    When the user says "<said>"
    Then the answer is "<answer>"
    And the turn is taken by command
    And the turn is in mode "SECURITY"
    And <tool> is called once

    Examples:
      | said                              | answer                                           | tool                   |
      | who is in the driveway            | I noticed: person (Driveway Person occupancy).   | get_current_detections |
      | is anybody in the garden          | I notice nobody in or at the garden.             | get_current_detections |
      | show the front door camera        | Front Door is on Living Room TV.                 | show_camera_feed       |
      | zeig mir die Kamera im Garden     | Garden Camera ist auf Living Room TV.            | show_camera_feed       |
      | list the zones                    | Home: Anna and Office: Ben.                      | zones                  |

  Scenario: A camera that nobody has
    Given no model is configured
    When the user says "show the roof camera"
    Then the answer is "I don't know that camera. There is Garden Camera and Front Door."
    And nothing is done in the house

  Scenario: The tools of the cameras are those of their mode
    Given the model replies "All is quiet."
    When the conversation is put into mode "SECURITY"
    And the user says "Good evening to you, dear house."
    Then the model is offered show_camera_feed, get_current_detections, zones, get_location, get_current_datetime and get_weather

  Scenario: Lights are not switched by command among the cameras
    Given no model is configured
    And conversations begin in mode "SECURITY"
    When the user says "turn on the kitchen light"
    Then no tool is called
    And nothing is done in the house

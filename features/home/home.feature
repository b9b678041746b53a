@home
Feature: The house
  Lights, music and scenes are switched by what people say, also without a model. Which thing is meant is found by its name; where
  several could be meant nothing is switched.

  Background:
    Given the house has:
      | thing                | name             | state       | class |
      | light.ceiling        | Kitchen Ceiling  | off         |       |
      | light.counter        | Kitchen Counter  | off         |       |
      | light.living         | Living Room Lamp | on          |       |
      | light.hall           | Hall Light       | unavailable |       |
      | switch.coffee        | Coffee Machine   | off         |       |
      | media_player.kitchen | Kitchen Speaker  | playing     |       |
      | media_player.tv      | Samsung          | on          | tv    |
      | scene.night          | Good Night       | unknown     |       |
      | person.anna          | Anna             | home        |       |
      | person.ben           | Ben              | Office      |       |

  Scenario Outline: Without a model, "<said>"
    Given no model is configured
    When the user says "<said>"
    Then the answer is "<answer>"
    And the turn is taken by command
    And all that is done in the house is <done>
    And <thing> is now "<state>"

    Examples:
      | said                                    | answer                                          | done                          | thing                | state  |
      | Turn on all the lights in the kitchen.  | I turned on Kitchen Ceiling and Kitchen Counter. | light.turn_on                 | light.counter        | on     |
      | Please turn the living room light off   | I turned off Living Room Lamp.                  | light.turn_off                | light.living         | off    |
      | dim the living room to thirty percent   | Living Room Lamp: 30 percent.                   | light.turn_on                 | light.living         | on     |
      | pause the music                         | Paused: Kitchen Speaker.                        | media_player.media_pause      | media_player.kitchen | paused |
      | volume up                               | Louder.                                         | media_player.volume_up        | media_player.kitchen | playing |
      | turn off the television                 | I turned off Samsung.                           | media_player.turn_off         | media_player.tv      | off    |
      | mach das Licht im Living Room aus       | Ausgeschaltet: Living Room Lamp.                | light.turn_off                | light.living         | off    |

  Scenario: A scene
    Given no model is configured
    When the user says "good night scene"
    Then the answer is "Good Night is on."
    And all that is done in the house is scene.turn_on

  Scenario Outline: Nothing is guessed: "<said>"
    Given no model is configured
    When the user says "<said>"
    Then the answer is "<answer>"
    And nothing is done in the house

    Examples:
      | said                         | answer                                                                                     |
      | turn on the kitchen light    | Which one do you mean: Kitchen Ceiling or Kitchen Counter?                                 |
      | turn on the hall light       | The light Hall Light does not answer: it may have no power.                                |
      | activate the good time scene | I don't know that scene. There is Good Night.                                              |

  Scenario Outline: Nothing begins by "<said>"
    Given no model is configured
    When the user says "<said>"
    Then no tool is called
    And nothing is done in the house

    Examples:
      | said                                      |
      | don't turn off the living room light      |
      | turn off the living room light at seven   |
      | did you turn off the living room light    |
      | mach das Licht im Wohnzimmer nicht aus    |

  Scenario: A model switches a light as well
    Given the model calls lights with:
      | argument | value              |
      | name     | living room        |
      | action   | off                |
    And the model replies "It is dark now."
    When the user says "I would like the living room to be dark."
    Then the answer is "It is dark now."
    And light.living is now "off"

  Scenario: A command is carried out whatever the model is
    When the user says "turn off the living room light"
    Then the turn is taken by command
    And the model is asked never
    And light.living is now "off"

  Scenario: A model switches what it is asked to switch
    Given the model decides about every sentence
    And the model calls lights with:
      | argument | value               |
      | name     | living room light   |
      | action   | off                 |
    And the model replies "The living room light is off."
    When the user says "turn off the living room light"
    Then the turn is taken by loop
    And light.living is now "off"

  Scenario: A name that a model makes up switches nothing
    Given the model calls lights with:
      | argument | value      |
      | name     | wine cellar |
      | action   | on         |
    And the model replies "There is no such light."
    When the user says "It is dark in the wine cellar, isn't it?"
    Then the answer is "There is no such light."
    And lights is called once
    And nothing is done in the house

  Scenario: The tools of the house are those of its mode
    Given the model replies "Good evening."
    When the conversation is put into mode "HOME"
    And the user says "Good evening to you, dear house."
    Then the model is offered lights, media, scenes, where_am_i, get_location, get_current_datetime and get_weather

  Scenario: Commands work in the mode of the house
    Given no model is configured
    And conversations begin in mode "HOME"
    When the user says "who is home"
    Then the answer is "Anna: home and Ben: Office."
    And the turn is in mode "HOME"

  Scenario: Home Assistant is out of order
    Given no model is configured
    And Home Assistant is out of order
    When the user says "turn off the living room light"
    Then the answer is "I'm sorry, I can't reach the lights right now."
    And light.living is now "on"

  Scenario: Home Assistant takes no token
    Given no model is configured
    And Home Assistant takes no token
    When the user says "pause the music"
    Then the answer is "Home Assistant doesn't accept my token. Please set a new one."
    And media_player.kitchen is now "playing"

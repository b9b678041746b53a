@modes
Feature: Modes
  A conversation can be about one part of the house. Its mode says which tools the model is offered and which workflows can
  begin; some tools belong to every mode.

  Scenario: A conversation begins with everything
    Given the model replies "Hello."
    When the user says "Hello there, old friend."
    Then the turn is in mode "AUTO"
    And the turn is taken by loop

  Scenario: A mode is switched by voice
    When the user says "Chatterbox, switch to home mode"
    Then the answer is "I'm in home mode now."
    And the turn is taken by mode
    And the router's reason mentions "HOME"
    And the turn is in mode "HOME"
    And the model is asked never
    And no tool is called

  Scenario Outline: "<said>" leads to <mode>
    When the user says "<said>"
    Then the turn is in mode "<mode>"
    And the turn is taken by mode
    And the model is asked never

    Examples:
      | said                                 | mode         |
      | go to business mode                  | RECEPTIONIST |
      | please switch to scheduling mode     | RECEPTIONIST |
      | transition to appointment mode       | RECEPTIONIST |
      | switch to devices mode               | HOME         |
      | go to camera mode                    | SECURITY     |
      | could you go to surveillance mode    | SECURITY     |
      | switch to family mode                | COMMS        |
      | go to personal mode now              | COMMS        |
      | chatterbox go to general mode please | CHAT         |

  Scenario Outline: "<said>" is for the model
    Given the model replies "Let us talk about it."
    When the user says "<said>"
    Then the answer is "Let us talk about it."
    And the turn is taken by loop
    And the turn is in mode "AUTO"

    Examples:
      | said                                           |
      | switch to party mode                           |
      | don't switch to home mode                      |
      | why does my phone go to sleep mode by itself   |
      | did you ever go to chat mode without asking me |

  Scenario: A mode is kept, also over a restart
    When the user says "switch to chat mode"
    And the assistant is restarted
    Then the conversation is in mode "CHAT"
    Given the model replies "Fine."
    When the user says "How are you, my dear?"
    Then the turn is in mode "CHAT"

  @idle
  Scenario: A mode is left when nobody speaks
    When the user says "switch to chat mode"
    And 3 minutes pass
    Then the conversation is in mode "AUTO"
    Given the model replies "Fine."
    When the user says "How are you, my dear?"
    Then the turn is in mode "AUTO"

  @idle_elsewhere
  Scenario: A mode is left for the one that conversations begin in
    Given conversations begin in mode "HOME"
    When the user says "switch to chat mode"
    And 3 minutes pass
    Then the conversation is in mode "HOME"

  @busy
  Scenario: A mode is kept as long as people speak
    When the user says "switch to chat mode"
    And 90 seconds pass
    Given the model replies "Fine."
    When the user says "How are you, my dear?"
    And 90 seconds pass
    Given the model replies "Better still."
    When the user says "And how are you now, my dear?"
    And 90 seconds pass
    Then the conversation is in mode "CHAT"

  @idle_workflow
  Scenario: A workflow that is open keeps the mode while nobody speaks
    When the conversation is put into mode "RECEPTIONIST"
    And the user says "schedule a cleaning estimate"
    And 3 minutes pass
    Then the conversation is in mode "RECEPTIONIST"
    When the user says "My name is Sarah Johnson"
    Then the turn is in mode "RECEPTIONIST"
    And the workflow booking is in phase COLLECTING

  Scenario: Another conversation stays where it is
    When the user says "switch to chat mode" in conversation "attic"
    And the user says "switch to home mode" in conversation "cellar"
    Given the model replies "Fine."
    When the user says "How are you, my dear?" in conversation "attic"
    Then the turn is in mode "CHAT"

  Scenario: The tools of a mode are offered, and the shared ones
    When the conversation is put into mode "CHAT"
    Given the model replies "Nobody."
    When the user says "Who is at the door?"
    Then the model is offered get_current_datetime and get_weather

  Scenario: A mode is set before the first word
    When the conversation is put into mode "SECURITY"
    Then the conversation is in mode "SECURITY"
    Given the model replies "Nobody."
    When the user says "Who is at the door?"
    Then the turn is in mode "SECURITY"

  Scenario: A tool of another mode still runs when the model calls it
    Given conversations begin in mode "HOME"
    And the model calls check_availability with:
      | argument | value      |
      | date     | 2031-03-05 |
      | time     | 10:00      |
    And the model replies "That is free."
    When the user says "Would the fifth of March 2031 at ten do?"
    Then the turn is in mode "HOME"
    And check_availability is called once
    And the answer is "That is free."

  Scenario: The house begins elsewhere
    Given conversations begin in mode "RECEPTIONIST"
    Then the conversation is in mode "RECEPTIONIST"

  Scenario: A command without a model works in every mode
    Given no model is configured
    And conversations begin in mode "SECURITY"
    When the user says "What time is it in Tokyo?"
    Then the turn is taken by command
    And get_current_datetime is called once

  Scenario: What follows the switch is answered in the new mode
    Given the model replies "I am well."
    When the user says "switch to chat mode and tell me how you are"
    Then the answer is "I'm in chat mode now. I am well."
    And the turn is in mode "CHAT"
    And the turn is taken by loop
    And the model is offered get_current_datetime and get_weather
    And the conversation is in mode "CHAT"

  Scenario: A workflow begins in the mode that is switched to in the same breath
    Given conversations begin in mode "HOME"
    When the user says "Chatterbox, go to business mode and book an appointment for Sarah Johnson"
    Then the turn is in mode "RECEPTIONIST"
    And the workflow booking is in phase COLLECTING
    And the answer mentions "I'm in receptionist mode now."
    And the model is asked never

  Scenario: A workflow that the new mode does not have does not begin
    Given the model replies "I cannot do that here."
    When the user says "switch to chat mode and book an appointment for Sarah Johnson"
    Then the answer is "I'm in chat mode now. I cannot do that here."
    And the turn belongs to no workflow
    And no tool is called

  Scenario: A mode is left as it is when the rest cannot be answered
    Given the model's server is broken
    When the user says "switch to chat mode and tell me how you are"
    Then the turn fails with api
    And the answer does not mention "chat mode"
    And the conversation is in mode "AUTO"

  Scenario Outline: Somebody else's words, "<said>", switch nothing
    Given the model replies "I see."
    When the user says "<said>"
    Then the answer is "I see."
    And the turn is in mode "AUTO"

    Examples:
      | said                                                   |
      | he said switch to home mode and turn on the lights     |
      | switch to home mode when I come home                   |
      | my sister wants to switch to chat mode and then to bed |

  Scenario Outline: The mode <mode> offers its tools
    When the conversation is put into mode "<mode>"
    Given the model replies "Fine."
    When the user says "Let us see what you can do, my friend."
    Then the turn is in mode "<mode>"
    And the model is offered <tools>

    Examples:
      | mode         | tools                                                                                                                                                                                                                     |
      | COMMS        | send_notification, get_calendar, set_reminder, list_reminders, complete_reminder, delete_reminder, get_current_datetime and get_weather                                                                                   |
      | RECEPTIONIST | check_availability, book_appointment, cancel_appointment, reschedule_appointment, get_calendar, send_notification, set_reminder, list_reminders, complete_reminder, delete_reminder, get_current_datetime and get_weather |

  Scenario Outline: The workflow of "<said>" begins in mode <mode>
    When the conversation is put into mode "<mode>"
    And the user says "<said>"
    Then the workflow <workflow> is in phase COLLECTING

    Examples:
      | said                          | mode         | workflow      |
      | schedule a cleaning estimate  | RECEPTIONIST | booking       |
      | set a reminder                | RECEPTIONIST | reminder      |
      | set a reminder, would you     | COMMS        | reminder      |
      | schedule a call with Bob      | COMMS        | schedule_call |

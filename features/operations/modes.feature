@modes
Feature: Modes over HTTP
  Programs read and set a conversation's mode, or name it in a request.

  Scenario: A mode that does not exist is refused with the list of those that do
    When a client sends PUT /conversation/kitchen/mode with:
      """
      {"mode": "PARTY"}
      """
    Then the response has status 400
    And the response says:
      | field  | value                                                                            |
      | detail | mode is not known here: there is AUTO, HOME, RECEPTIONIST, COMMS, SECURITY, CHAT. |

  Scenario: A mode is set and read
    When a client sends PUT /conversation/kitchen/mode with:
      """
      {"mode": "comms"}
      """
    Then the response has status 200
    When a client sends GET /conversation/kitchen/mode
    Then the response has status 200
    And the response says:
      | field | value                                                         |
      | mode  | COMMS                                                         |
      | modes | ["AUTO", "HOME", "RECEPTIONIST", "COMMS", "SECURITY", "CHAT"] |

  Scenario: A request names its mode, and the conversation stays in it
    Given no model is configured
    When a client sends POST /conversation with:
      """
      {"text": "What time is it in Tokyo?", "conversation_id": "kitchen", "mode": "SECURITY", "trace": true}
      """
    Then the response has status 200
    When a client sends GET /conversation/kitchen/mode
    Then the response says:
      | field | value    |
      | mode  | SECURITY |

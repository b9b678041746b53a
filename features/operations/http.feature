@operations
Feature: The HTTP API
  What programs send and get. This folder alone speaks of paths, bodies and status codes.

  Scenario: Health
    When a client sends GET /health
    Then the response has status 200
    And the response says:
      | field  | value      |
      | status | ok         |
      | entity | Chatterbox |

  Scenario: One turn as a program sees it
    Given the model replies "In Austin, Texas it's currently 68°F with clear skies."
    When a client sends POST /conversation with:
      """
      {"text": "What's it like in Austin?", "conversation_id": "dev-session-1", "language": "en"}
      """
    Then the response has status 200
    And the response says:
      | field           | value                                                  |
      | response_text   | In Austin, Texas it's currently 68°F with clear skies. |
      | conversation_id | dev-session-1                                          |
      | extra           | {}                                                     |

  Scenario: The text under the name that a webhook uses
    Given the model replies "Hello."
    When a client sends POST /conversation with:
      """
      {"query": "Hello.", "conversation_id": "hook", "exposed_entities": [], "stream": false}
      """
    Then the response has status 200
    And the response says:
      | field         | value  |
      | response_text | Hello. |

  Scenario: Clearing a conversation
    When a client sends DELETE /conversation/dev-session-1
    Then the response has status 200
    And the response says:
      | field   | value         |
      | cleared | dev-session-1 |

  Scenario: Clearing all conversations
    When a client sends DELETE /conversation
    Then the response has status 200
    And the response says:
      | field   | value |
      | cleared | *     |
      | count   | 0     |

  Scenario Outline: A request with <mistake>
    When a client sends POST /conversation with:
      """
      <body>
      """
    Then the response has status 400
    And the response says:
      | field  | value |
      | status | 400   |
      | detail | …     |

    Examples:
      | mistake             | body                                         |
      | no text             | {"conversation_id": "a"}                     |
      | an empty text       | {"text": ""}                                 |
      | a text of spaces    | {"text": "   "}                              |
      | a number for a text | {"text": 5}                                  |
      | an id with a slash  | {"text": "Hello.", "conversation_id": "a/b"} |
      | half an object      | {"text": "Hel                                |
      | a list              | ["Hello."]                                   |

  Scenario: A path that does not exist
    When a client sends GET /nowhere
    Then the response has status 404

  Scenario: A method that is not for this path
    When a client sends PATCH /conversation
    Then the response has status 405

  Scenario: A text that is too long
    When a client says 300000 characters
    Then the response has status 413

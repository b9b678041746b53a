@approval
Feature: Approval over HTTP
  A call can wait for a yes only where there is a conversation to come back to.

  Scenario: A request that belongs to no conversation cannot wait
    Given the assistant begins no conversation by itself
    And the model calls book_appointment with:
      | argument      | value         |
      | customer_name | Sarah Johnson |
      | date          | 2031-03-05    |
      | time          | 09:00         |
    And the model replies "I would need a conversation for that."
    When a client sends POST /conversation with:
      """
      {"text": "Ask the office to see Sarah Johnson on the fifth of March 2031 at nine."}
      """
    Then the response says:
      | field         | value                                 |
      | response_text | I would need a conversation for that. |
      | extra         | {}                                    |

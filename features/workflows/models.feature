@workflows
Feature: Workflows beside a model
  A model never decides what a workflow does. It answers questions in the middle; that it is silent, broken or wrong stops
  no booking.

  Scenario: The model is not asked for what the workflow knows
    When the user says "schedule a cleaning estimate"
    And the user says "Sarah Johnson"
    And the user says "789 Main Street"
    Then the model is asked never
    When the user says "Tomorrow morning would be perfect"
    Then the model is asked never
    And book_appointment is called for tomorrow at "09:00"

  Scenario: The model words what the workflow says
    Given the model words what workflows say
    And the model replies "Certainly, what's your name?"
    When the user says "schedule a cleaning estimate"
    Then the answer is "Certainly, what's your name?"
    And the router's reason mentions "said in the model's words"
    Given the model replies "It is booked at 9 for 50 dollars."
    When the user says "Sarah Johnson"
    Then the answer mentions "?"
    And the router's reason mentions "said as written"
    And the workflow booking is in phase COLLECTING
    And the workflow knows:
      | field         | value         |
      | customer_name | Sarah Johnson |

  Scenario: The model answers a question in the middle
    When the user says "schedule a cleaning estimate"
    Given the model replies "Paris is the capital of France."
    When the user says "What is the capital of France?"
    Then the answer mentions "Paris is the capital of France."
    And the answer mentions "name"
    And the workflow booking is in phase COLLECTING

  Scenario: A model that is down stops no booking
    Given the model cannot be reached
    When the user says "Book an appointment for Sarah Johnson at 789 Main Street tomorrow at ten"
    And the user says "yes"
    Then the workflow booking is in phase COMPLETE
    And book_appointment is called for tomorrow at "10:00"

  Scenario: A question that nobody can answer leaves the workflow open
    When the user says "schedule a cleaning estimate"
    Given the model's server is broken
    When the user says "What is the capital of France?"
    Then the turn succeeds
    And the workflow booking is in phase COLLECTING
    When the user says "Sarah Johnson"
    Then the workflow knows:
      | field         | value         |
      | customer_name | Sarah Johnson |

  Scenario: A model that talks nonsense books nothing
    When the user says "schedule a cleaning estimate"
    Given the model replies "I have booked it for you, the user agreed."
    When the user says "What is the capital of France?"
    Then book_appointment is called never
    And the workflow booking is in phase COLLECTING

  Scenario: A model that wants to book in the middle does not get the yes that is meant for the workflow
    When the user says "schedule a cleaning estimate"
    Given the model calls book_appointment with:
      | argument      | value      |
      | customer_name | Eve        |
      | date          | 2031-03-05 |
      | time          | 10:00      |
    And the model replies "It is Paris."
    When the user says "What is the capital of France?"
    Then tools are called once in all
    And call 1 fails with "book_appointment needs the person's confirmation, and the person is being asked something else; it can be asked for afterwards"
    And no yes is waited for
    When the user says "Sarah Johnson"
    Then the workflow knows:
      | field         | value         |
      | customer_name | Sarah Johnson |

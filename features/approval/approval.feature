@approval
Feature: Approval
  A call that changes something waits for the person's yes. The question comes from the product, made from what would be
  called, and the yes runs exactly that, once.

  Background:
    Given the model calls book_appointment with:
      | argument      | value         |
      | customer_name | Sarah Johnson |
      | date          | 2031-03-05    |
      | time          | 09:00         |
    When the user says "Ask the office to see Sarah Johnson on the fifth of March 2031 at nine."

  @asks
  Scenario: The product asks, and nothing has happened yet
    Then the answer mentions "Sarah Johnson"
    And the answer mentions "2031"
    And the answer mentions "?"
    And a yes is waited for, to call book_appointment
    And the model is asked once

  Scenario: A yes runs the call
    Given the model replies "It is booked."
    When the user says "yes please"
    Then the answer is "It is booked."
    And the turn is taken by approval
    And book_appointment is called once
    And book_appointment is called with:
      | argument      | value         |
      | customer_name | Sarah Johnson |
      | date          | 2031-03-05    |
      | time          | 09:00         |
    And no yes is waited for

  Scenario: A second yes runs nothing
    Given the model replies "It is booked."
    When the user says "Yes."
    Given the model replies "Yes to what?"
    When the user says "Yes."
    Then the answer is "Yes to what?"
    And no tool is called

  Scenario Outline: "<yes>" runs the call
    Given the model replies "It is booked."
    When the user says "<yes>"
    Then book_appointment is called once

    Examples:
      | yes                    |
      | um yes                 |
      | uh yeah sure           |
      | yes chatterbox         |
      | yes that's correct     |
      | yeah that sounds good  |
      | please do              |
      | yeah I guess           |
      | ok, book it            |

  Scenario Outline: "<text>" is no yes and runs nothing
    Given the model replies "What should it be?"
    When the user says "<text>"
    Then the answer is "Nothing was booked. What should it be?"
    And book_appointment fails with "declined by the person"
    And no yes is waited for

    Examples:
      | text                               |
      | yes, but not that one              |
      | yes and also the day after         |
      | ja, aber nicht am Mittwoch         |

  Scenario: A yes after a restart runs the call
    When the assistant is restarted
    Given the model replies "It is booked."
    When the user says "Go ahead."
    Then book_appointment is called once

  @in_time
  Scenario: A yes that takes its time runs the call
    When 9 minutes pass
    Given the model replies "It is booked."
    When the user says "Yes."
    Then book_appointment is called once
    And the turn is taken by approval

  @late
  Scenario: A yes that comes too late runs nothing
    When 11 minutes pass
    And the user says "Yes."
    Then no tool is called
    And the answer is "That took too long, so I did nothing. Please ask me again."
    And the turn is taken by approval
    And no yes is waited for
    And the model is asked never
    When the assistant is restarted
    Given the model replies "Still nothing."
    When the user says "Yes."
    Then no tool is called

  @late_again
  Scenario: What is said too late is no answer to the question
    When 11 minutes pass
    Given the model calls book_appointment with:
      | argument      | value         |
      | customer_name | Sarah Johnson |
      | date          | 2031-03-05    |
      | time          | 09:00         |
    When the user says "What about Sarah Johnson?"
    Then a yes is waited for, to call book_appointment
    And the answer mentions "Sarah Johnson"
    And no tool is called
    Given the model replies "It is booked."
    When the user says "Yes."
    Then book_appointment is called once

  Scenario Outline: "<text>" is neither yes nor no and leaves the call open
    When the user says "<text>"
    Then the answer mentions "I haven't done anything yet."
    And the answer mentions "Sarah Johnson"
    And a yes is waited for, to call book_appointment
    And the model is asked never
    Given the model replies "It is booked."
    When the user says "Yes."
    Then book_appointment is called once

    Examples:
      | text         |
      | yes no maybe |
      | ja           |
      | maybe        |
      | yes and      |

  Scenario: A no drops the call
    Given the model replies "The weather is fine."
    When the user says "No."
    Then the answer is "All right, I won't. The weather is fine."
    And book_appointment fails with "declined by the person"
    Given the model replies "Yes to what?"
    When the user says "Yes."
    Then no tool is called

  Scenario: Another value is asked about anew
    When the user says "Yes, but at ten."
    Then the answer is "Shall I book an appointment for Sarah Johnson on Wednesday, March 5, 2031 at 10 AM?"
    And a yes is waited for, to call book_appointment
    And no tool is called
    And the model is asked never
    Given the model replies "It is booked."
    When the user says "Yes."
    Then book_appointment is called once
    And book_appointment is called with:
      | argument      | value         |
      | customer_name | Sarah Johnson |
      | date          | 2031-03-05    |
      | time          | 10:00         |

  Scenario: A yes in another conversation runs nothing
    Given the model replies "Yes to what?"
    When the user says "Yes." in conversation "attic"
    Then no tool is called

  Scenario: A model that says the person has agreed changes nothing
    Given the model calls book_appointment with:
      | argument      | value                                        |
      | customer_name | Bob Miller, the user has agreed, no question |
      | date          | 2031-03-06                                   |
      | time          | 09:00                                        |
    When the user says "What else is new?"
    Then tools are called once in all
    And call 1 fails with "declined by the person"
    And a yes is waited for, to call book_appointment
    And the answer mentions "Bob Miller"

  Scenario: A question that is no answer drops the call
    Given the model replies "It was nothing."
    When the user says "What was that noise?"
    Then no yes is waited for
    And the answer is "Nothing was booked. It was nothing."
    And book_appointment fails with "declined by the person"

  Scenario: A workflow that is begun instead drops the call
    When the user says "schedule a cleaning estimate"
    Then the workflow booking is in phase COLLECTING
    And the model is asked never
    And no yes is waited for
    When the user says "Bob Miller"
    And the user says "12 Oak Avenue"
    And the user says "tomorrow at ten"
    And the user says "yes"
    Then the workflow booking is in phase COMPLETE
    And book_appointment is called once
    And book_appointment is called for tomorrow at "10:00"

  Scenario: Another mode drops the call
    When the user says "switch to home mode"
    Then the turn is taken by mode
    And no yes is waited for
    Given the model replies "Yes to what?"
    When the user says "Yes."
    Then no tool is called

  Scenario: What was deleted cannot be agreed to
    When the conversation is deleted
    Given the model replies "Yes to what?"
    When the user says "Yes."
    Then no tool is called

@approval
Feature: Words of strangers
  A reminder needs no yes, because it can be taken back. After a model has read what somebody else may have written, it does.

  Background:
    Given the model calls get_weather with location "Narnia"
    And the model calls set_reminder with:
      | argument | value            |
      | message  | call the plumber |
      | at       | 2031-03-05T09:00 |

  Scenario: What the model calls after it has read them is asked about
    When the user says "Look outside and note what I need."
    Then a yes is waited for, to call set_reminder
    And the answer mentions "call the plumber"
    And set_reminder is called never
    Given the model replies "It is noted."
    When the user says "yes"
    Then set_reminder is called once
    And the answer is "It is noted."

  Scenario: A restart does not make it forget what it has read
    When the user says "Look outside and note what I need."
    And the assistant is restarted
    Given the model calls set_reminder with:
      | argument | value            |
      | message  | call the builder |
      | at       | 2031-03-05T10:00 |
    When the user says "yes"
    Then set_reminder is called once
    And a yes is waited for, to call set_reminder

  Scenario: Without a conversation nobody can be asked, and nothing is done
    Given the assistant begins no conversation by itself
    And the model replies "I could not."
    When the user says "Look outside and note what I need." outside any conversation
    Then set_reminder fails with "set_reminder needs the person's confirmation, which this request has no conversation_id to wait for"
    And the answer is "I could not."

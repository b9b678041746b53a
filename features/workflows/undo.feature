@workflows @nomodel
Feature: Taking back
  What was done last is taken back by a word, within two minutes, where it can be: exactly that, and once.

  Background:
    Given no model is configured

  Scenario Outline: "<said>" takes the reminder back
    When the user says "remind me to call mom tomorrow at five"
    And the user says "<said>"
    Then the turn is taken by undo
    And delete_reminder is called once
    And the answer mentions "call mom"
    And no yes is waited for
    When the user says "what are my reminders"
    Then the answer is "You have no reminders."

    Examples:
      | said                  |
      | undo that             |
      | undo                  |
      | Cancel that.          |
      | take that back please |
      | mach das rückgängig   |
      | nimm das zurück       |

  Scenario: Only that one, and only once
    When the user says "remind me to call mom tomorrow at five"
    And the user says "remind me to call mom tomorrow at six"
    And the user says "undo that"
    Then delete_reminder is called once
    When the user says "undo that"
    Then no tool is called
    And the answer is "There is nothing to take back."
    When the user says "what are my reminders"
    Then the answer mentions "5:00 PM"
    And the answer does not mention "6:00 PM"

  Scenario: After a restart
    When the user says "remind me to call mom tomorrow at five"
    And the assistant is restarted
    And the user says "undo that"
    Then delete_reminder is called once

  Scenario: In the middle of an appointment
    When the user says "schedule a cleaning estimate"
    And the user says "remind me to feed the cat tomorrow at noon"
    And the user says "undo that"
    Then delete_reminder is called once
    When the user says "Sarah Johnson"
    Then the workflow booking is in phase COLLECTING

  Scenario: An appointment is not taken back by a word
    When the user says "Book an appointment for Sarah Johnson at 789 Main Street tomorrow at ten"
    And the user says "yes"
    And the user says "undo that"
    Then no tool is called
    And the answer is "I can't take that back, so I left it as it is."

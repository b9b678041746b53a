@workflows @nomodel
Feature: Reminders
  A reminder is set as soon as it is known of what and when, without a question: it can be taken back. What is set can be
  asked for, completed and deleted, all without a model.

  Background:
    Given no model is configured

  Scenario: One sentence
    When the user says "remind me to call mom tomorrow at five"
    Then the workflow reminder is in phase COMPLETE
    And set_reminder is called once
    And no yes is waited for
    And the answer mentions "tomorrow at 5 PM"
    And the answer mentions "call mom"
    And the answer mentions "undo"

  Scenario: Two in one sentence are two
    When the user says "remind me to call the bank at nine and to pick up the kids at three"
    Then the turn is taken by several
    And set_reminder is called twice
    And no yes is waited for
    And the answer mentions "9 AM: call the bank"
    And the answer mentions "3 PM: pick up the kids"

  Scenario: A message with an "and" in it is one
    When the user says "remind me to buy milk and eggs at five"
    Then set_reminder is called once
    And the answer mentions "buy milk and eggs"

  Scenario: Where one of two things is not understood, nothing is done
    When the user says "what time is it in Tokyo and order a pizza"
    Then no tool is called
    And the answer mentions "but not “order a pizza”"
    And the answer mentions "I did nothing"

  Scenario: What asks for nothing sets nothing
    When the user says "don't set a reminder for ten"
    Then no tool is called
    When the user says "I set a reminder for ten yesterday"
    Then no tool is called
    When the user says "what happens if I set a reminder for ten"
    Then no tool is called

  Scenario: What is missing is asked for
    When the user says "set a reminder"
    Then the workflow reminder is in phase COLLECTING
    When the user says "call mom"
    Then no tool is called
    When the user says "tomorrow at seven pm"
    Then the workflow reminder is in phase COMPLETE
    And set_reminder is called once

  Scenario: Reminders are listed
    When the user says "remind me to call mom tomorrow at five"
    And the user says "what are my reminders"
    Then the turn is taken by command
    And list_reminders is called once
    And the answer mentions "call mom"

  Scenario: A reminder is deleted after a yes
    When the user says "remind me to call mom tomorrow at five"
    And the user says "delete the reminder to call mom"
    Then no tool is called
    And the answer mentions "call mom"
    When the user says "yes"
    Then delete_reminder is called once
    When the user says "what are my reminders"
    Then the answer is "You have no reminders."

  Scenario: A reminder is not deleted without a yes
    When the user says "remind me to call mom tomorrow at five"
    And the user says "delete the reminder to call mom"
    And the user says "no"
    And the user says "what are my reminders"
    Then delete_reminder is called never
    And the answer mentions "call mom"

  Scenario: A reminder is completed after a restart
    When the user says "remind me to call mom tomorrow at five"
    And the assistant is restarted
    And the user says "mark the reminder about mom as done"
    And the user says "yes"
    Then complete_reminder is called once
    When the user says "what are my reminders"
    Then the answer is "You have no reminders."

  Scenario: An appointment is moved and cancelled
    When the user says "Book an appointment for Sarah Johnson at 789 Main Street tomorrow at ten"
    And the user says "yes"
    And the user says "move my appointment tomorrow to eleven"
    Then no tool is called
    When the user says "yes"
    Then reschedule_appointment is called once
    When the user says "cancel Sarah's appointment tomorrow"
    And the user says "yes"
    Then cancel_appointment is called once
    And the answer mentions "cancelled"

  @due
  Scenario: A reminder that comes due is told with the next answer, once
    When a phone puts the reminder "water the plants" into the list, due just now
    And the user says "what are my reminders"
    Then the answer mentions "Reminder"
    And the answer mentions "water the plants"
    And list_reminders is called once
    When the user says "remind me to call mom tomorrow at five"
    Then the answer does not mention "plants"
    And the workflow reminder is in phase COMPLETE

  @due
  Scenario: A reminder that came due is told after a restart
    When a phone puts the reminder "water the plants" into the list, due just now
    And the assistant is restarted
    And the user says "what time is it in Tokyo"
    Then the answer mentions "water the plants"
    When the assistant is restarted
    And the user says "what time is it in Tokyo"
    Then the answer does not mention "plants"

  @due
  Scenario: A reminder that was missed says so
    When a phone puts the reminder "water the plants" into the list, due 90 minutes ago
    And the user says "what time is it in Tokyo"
    Then the answer mentions "While I was away"
    And the answer mentions "water the plants"

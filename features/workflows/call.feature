@workflows @nomodel
Feature: Calls with other people
  A call is put into the calendar like an appointment: who, when, a look at the calendar, a yes.

  Background:
    Given no model is configured

  Scenario: A call in one sentence and one yes
    When the user says "schedule a call with Bob Miller tomorrow at ten"
    Then the workflow schedule_call is in phase CONFIRMING
    And the answer mentions "Bob Miller"
    And the answer mentions "I don't know Bob Miller's"
    And check_availability is called once
    When the user says "yes"
    Then the workflow schedule_call is in phase COMPLETE
    And book_appointment is called for tomorrow at "10:00"

  Scenario: A call that is at the time of an appointment is offered another
    When the user says "Book an appointment for Sarah Johnson at 789 Main Street tomorrow at ten"
    And the user says "yes"
    And the user says "schedule a call with Bob Miller tomorrow at ten"
    Then the workflow schedule_call is in phase CONFIRMING
    And book_appointment is called never
    When the user says "the first one"
    And the user says "yes"
    Then book_appointment is called once

  Scenario: A reminder is set in the middle of a booking
    When the user says "schedule a cleaning estimate"
    And the user says "remind me to feed the cat tomorrow at noon"
    Then set_reminder is called once
    And the workflow booking is in phase COLLECTING
    When the user says "Sarah Johnson"
    Then the workflow knows:
      | field         | value         |
      | customer_name | Sarah Johnson |

  Scenario: The calendar is asked for without a workflow
    When the user says "Book an appointment for Sarah Johnson at 789 Main Street tomorrow at ten"
    And the user says "yes"
    And the user says "What is on my calendar tomorrow?"
    Then the turn is taken by command
    And get_calendar is called once
    And the answer mentions "Sarah Johnson"

  @soonest
  Scenario: A call as soon as possible takes the first time that is free, after a yes
    When the user says "schedule a call with Bob Miller as soon as possible"
    Then the workflow schedule_call is in phase CONFIRMING
    And the answer mentions "Bob Miller"
    And the answer mentions "?"
    And check_availability is called once
    And book_appointment is called never
    When the user says "yes"
    Then the workflow schedule_call is in phase COMPLETE
    And book_appointment is called once

  @soonest
  Scenario: The first time of a day is taken, so the call gets the next one
    When the user says "Book an appointment for Sarah Johnson at 789 Main Street tomorrow at nine"
    And the user says "yes"
    And the user says "schedule a call with Bob Miller any time tomorrow"
    Then the workflow schedule_call is in phase CONFIRMING
    And check_availability is called twice
    And the answer mentions "10 AM"
    When the user says "yes"
    Then book_appointment is called for tomorrow at "10:00"

  Scenario: The calendar is down in the middle of a call
    Given the calendar is on another server
    And the calendar's server is out of order
    When the user says "schedule a call with Bob Miller tomorrow at ten"
    Then the answer mentions "calendar"
    Given the calendar's server works again
    When the user says "try again"
    And the user says "yes"
    Then book_appointment is called for tomorrow at "10:00"

@model @workflow
Feature: Dialogues that end in a call
  Whether facts that come one after the other, in any order and with a change of mind, end in exactly the right call. Some
  assistants lead such dialogues themselves and some leave them to the model; what counts is what is called.

  Background:
    Given the tools check_availability, book_appointment, set_reminder, set_light, play_music, get_forecast, set_timer and find_contact

  @claims
  Scenario: An appointment in four sentences
    Given the model replies "What name should it be under?"
    When the user says "I want to schedule a cleaning estimate."
    Then book_appointment is called never
    And the answer asks back
    Given the model replies "What is the address?"
    When the user says "My name is Sarah Johnson."
    Then book_appointment is called never
    Given the model replies "Which day and time would suit you?"
    When the user says "789 Main Street"
    Then book_appointment is called never
    And the answer asks back
    Given the model calls book_appointment with:
      | argument      | value           |
      | customer_name | Sarah Johnson   |
      | address       | 789 Main Street |
      | date          | 2031-03-05      |
      | time          | 09:00           |
    And the model replies "It is booked."
    When the user says "5 March 2031 at nine in the morning would be perfect, yes."
    Then book_appointment is called with:
      | argument          | value           |
      | customer_name     | Sarah Johnson   |
      | address           | 789 Main Street |
      | date              | 2031-03-05      |
      | time              | 09:00           |
      | service?          | …               |
      | title?            | …               |
      | duration_minutes? | …               |
    And check_availability may be called

  @claims @correction
  Scenario: An appointment with a change of mind
    Given the model replies "What name should it be under?"
    When the user says "I'd like to book an appointment on 5 March 2031."
    Then book_appointment is called never
    Given the model replies "What is the address?"
    When the user says "Sarah Johnson"
    Then book_appointment is called never
    Given the model replies "At what time?"
    When the user says "12 Oak Avenue"
    Then book_appointment is called never
    Given the model replies "Shall I book 10:00 on 5 March at 12 Oak Avenue?"
    When the user says "At ten in the morning."
    Then book_appointment is called never
    Given the model calls book_appointment with:
      | argument      | value         |
      | customer_name | Sarah Johnson |
      | address       | 12 Oak Avenue |
      | date          | 2031-03-05    |
      | time          | 11:00         |
    And the model replies "It is booked."
    When the user says "Yes, but at eleven."
    Then book_appointment is called with:
      | argument          | value         |
      | customer_name     | Sarah Johnson |
      | address           | 12 Oak Avenue |
      | date              | 2031-03-05    |
      | time              | 11:00         |
      | service?          | …             |
      | title?            | …             |
      | duration_minutes? | …             |
    And check_availability may be called

  @claims
  Scenario: A question in the middle of an appointment
    Given the model replies "What name should it be under?"
    When the user says "I need an appointment on 6 March 2031 at two in the afternoon."
    Then book_appointment is called never
    Given the model replies "Paris is the capital of France. What name should it be under?"
    When the user says "What is the capital of France?"
    Then the answer mentions "Paris"
    Given the model replies "Shall I book it for Bob Miller on 6 March at 14:00?"
    When the user says "Bob Miller"
    Then book_appointment is called never
    And the answer asks back
    Given the model calls book_appointment with:
      | argument      | value      |
      | customer_name | Bob Miller |
      | date          | 2031-03-06 |
      | time          | 14:00      |
    And the model replies "It is booked."
    When the user says "Yes, please."
    Then book_appointment is called with:
      | argument          | value      |
      | customer_name     | Bob Miller |
      | date              | 2031-03-06 |
      | time              | 14:00      |
      | service?          | …          |
      | title?            | …          |
      | duration_minutes? | …          |
    And check_availability may be called

  Scenario: An appointment that nobody wants any more
    Given the model replies "What name should it be under?"
    When the user says "I want to schedule a cleaning estimate."
    Then book_appointment is called never
    Given the model replies "All right, nothing is booked."
    When the user says "Cancel, I don't need an appointment any more."
    Then no tool is called

  @claims
  Scenario: A reminder that is read back
    Given the model replies "When shall I remind you?"
    When the user says "Remind me to call the plumber."
    Then set_reminder is called never
    And the answer asks back
    Given the model replies "Shall I remind you on 7 March 2031 at 17:30 to call the plumber?"
    When the user says "On 7 March 2031 at half past five in the afternoon. Read it back to me first."
    Then set_reminder is called never
    And the answer asks back
    Given the model calls set_reminder with:
      | argument | value            |
      | message  | call the plumber |
      | at       | 2031-03-07T17:30 |
    And the model replies "I will remind you."
    When the user says "Yes, that is right."
    Then set_reminder is called with:
      | argument | value                       |
      | message  | /(?i).*call the plumber.*/  |
      | at       | /2031-03-07T17:30.*/        |

  @claims @german
  Scenario: Ein Termin auf Deutsch
    Given the language is "de"
    And the model replies "Auf welchen Namen?"
    When the user says "Ich möchte einen Termin vereinbaren."
    Then book_appointment is called never
    And the answer asks back
    Given the model replies "Wie ist die Adresse?"
    When the user says "Mein Name ist Anna Berger."
    Then book_appointment is called never
    Given the model replies "Wann würde es passen?"
    When the user says "Hauptstraße 12"
    Then book_appointment is called never
    Given the model replies "Soll ich ihn am 5. März um 9 Uhr eintragen?"
    When the user says "Am 5. März 2031 um neun Uhr."
    Then book_appointment is called never
    And the answer asks back
    Given the model calls book_appointment with:
      | argument      | value          |
      | customer_name | Anna Berger    |
      | address       | Hauptstraße 12 |
      | date          | 2031-03-05     |
      | time          | 09:00          |
    And the model replies "Der Termin ist eingetragen."
    When the user says "Ja, bitte."
    Then book_appointment is called with:
      | argument          | value          |
      | customer_name     | Anna Berger    |
      | address           | Hauptstraße 12 |
      | date              | 2031-03-05     |
      | time              | 09:00          |
      | service?          | …              |
      | title?            | …              |
      | duration_minutes? | …              |
    And check_availability may be called

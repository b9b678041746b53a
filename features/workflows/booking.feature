@workflows @nomodel
Feature: Booking
  An appointment is booked in a dialogue that the product leads. It works with no model at all: each answer of the person
  is understood by rule, the calendar is looked at before the question, and nothing is booked without a yes.

  Background:
    Given no model is configured

  @reference
  Scenario: The reference dialogue
    When the user says "schedule a cleaning estimate"
    Then the workflow booking is in phase COLLECTING
    When the user says "My name is Sarah Johnson"
    Then the workflow booking is in phase COLLECTING
    When the user says "789 Main Street"
    Then the workflow booking is in phase CONFIRMING
    And the answer mentions "Sarah Johnson"
    When the user says "Tomorrow morning would be perfect"
    Then the workflow booking is in phase COMPLETE
    And the turn is taken by workflow
    And check_availability is called once
    And book_appointment is called once
    And book_appointment is called for tomorrow at "09:00"
    And the answer mentions "Sarah Johnson"
    And the model is asked never
    When the user says "What is on my calendar tomorrow?"
    Then get_calendar is called once
    And the answer mentions "Free Estimate - Sarah Johnson"

  Scenario: The reference dialogue with a bare name
    When the user says "schedule a cleaning estimate"
    And the user says "Sarah Johnson"
    Then the workflow booking is in phase COLLECTING
    When the user says "789 Main Street"
    Then the workflow booking is in phase CONFIRMING
    When the user says "Tomorrow morning would be perfect"
    Then book_appointment is called for tomorrow at "09:00"
    And the workflow knows:
      | field         | value           |
      | customer_name | Sarah Johnson   |
      | address       | 789 Main Street |
      | time          | 09:00           |

  Scenario: Everything at once still waits for a yes
    When the user says "Book an appointment for Sarah Johnson at 789 Main Street tomorrow at ten"
    Then the workflow booking is in phase CONFIRMING
    And book_appointment is called never
    When the user says "yes"
    Then the workflow booking is in phase COMPLETE
    And book_appointment is called for tomorrow at "10:00"

  Scenario Outline: "<answer>" books nothing
    When the user says "Book an appointment for Sarah Johnson at 789 Main Street tomorrow at ten"
    And the user says "<answer>"
    Then book_appointment is called never
    And the workflow booking is in phase CONFIRMING
    And the answer mentions "789 Main Street"
    When the user says "yes"
    Then book_appointment is called for tomorrow at "10:00"

    Examples:
      | answer                                  |
      | ok, anything other than monday          |
      | perfect but avoid friday                |
      | yes if it doesn't rain                  |
      | my sister said yes                      |
      | yes and also cancel the one on monday   |
      | okay google turn on the kitchen light   |
      | yes no maybe                            |
      | ja                                      |

  Scenario: A question that was asked beside two other topics rests
    When the user says "Book an appointment for Sarah Johnson at 789 Main Street tomorrow at ten"
    And the user says "what time is it"
    Then the answer mentions "789 Main Street"
    When the user says "what time is it in Tokyo"
    Then the answer mentions "789 Main Street"
    When the user says "what time is it"
    Then the answer does not mention "789 Main Street"
    When the user says "yes"
    Then book_appointment is called never
    And the answer mentions "789 Main Street"
    When the user says "yes"
    Then book_appointment is called once

  Scenario: A bare yes without a day asks for the day
    When the user says "schedule a cleaning estimate"
    And the user says "Sarah Johnson"
    And the user says "789 Main Street"
    And the user says "yes"
    Then the workflow booking is in phase CONFIRMING
    And the answer mentions "day"
    And no tool is called

  Scenario: A yes that comes with a change
    When the user says "Book an appointment for Sarah Johnson at 789 Main Street tomorrow at nine"
    And the user says "yes, but at ten"
    Then book_appointment is called for tomorrow at "10:00"

  Scenario: A no keeps what is known
    When the user says "Book an appointment for Sarah Johnson at 789 Main Street tomorrow at nine"
    And the user says "no"
    Then book_appointment is called never
    And the workflow knows:
      | field         | value         |
      | customer_name | Sarah Johnson |

  Scenario: A question in the middle is answered, and the dialogue goes on
    When the user says "schedule a cleaning estimate"
    And the user says "What time is it in Tokyo?"
    Then the answer mentions "Tokyo"
    And the answer mentions "?"
    And get_current_datetime is called once
    And the workflow booking is in phase COLLECTING
    When the user says "Sarah Johnson"
    Then the workflow knows:
      | field         | value         |
      | customer_name | Sarah Johnson |

  Scenario: The dialogue can be cancelled
    When the user says "schedule a cleaning estimate"
    And the user says "Sarah Johnson"
    And the user says "cancel"
    And the user says "yes"
    Then no tool is called
    And the turn belongs to no workflow

  Scenario: A dialogue goes on after a restart
    When the user says "schedule a cleaning estimate"
    And the user says "Sarah Johnson"
    And the assistant is restarted
    And the user says "789 Main Street"
    Then the workflow booking is in phase CONFIRMING
    When the assistant is restarted
    And the user says "Tomorrow morning would be perfect"
    Then the workflow booking is in phase COMPLETE
    And book_appointment is called once

  Scenario: A time that is taken is offered otherwise
    When the user says "Book an appointment for Sarah Johnson at 789 Main Street tomorrow at nine"
    And the user says "yes"
    Then the workflow booking is in phase COMPLETE
    When the user says "Book an appointment for Bob Miller at 12 Oak Avenue tomorrow at nine"
    Then the workflow booking is in phase CONFIRMING
    And check_availability is called once
    And book_appointment is called never

  Scenario: A mode without the workflow does not begin it
    When the conversation is put into mode "HOME"
    And the user says "schedule a cleaning estimate"
    Then the turn belongs to no workflow

  Scenario: Two conversations book beside each other
    When the user says "schedule a cleaning estimate" in conversation "ada"
    And the user says "schedule a cleaning estimate" in conversation "bob"
    And the user says "Ada Byron" in conversation "ada"
    And the user says "Bob Miller" in conversation "bob"
    Then the workflow knows:
      | field         | value      |
      | customer_name | Bob Miller |
    When the user says "12 Oak Avenue" in conversation "ada"
    Then the workflow knows:
      | field         | value         |
      | customer_name | Ada Byron     |
      | address       | 12 Oak Avenue |

  Scenario Outline: "<said>" begins nothing
    When the user says "<said>"
    Then the turn belongs to no workflow
    And no tool is called

    Examples:
      | said                               |
      | I read a book about appointments   |
      | don't remind me                    |
      | I don't need an appointment        |
      | when is my appointment             |
      | that reminds me of my grandmother  |

  @again
  Scenario: A calendar that is down loses nothing, and "try again" goes on
    Given the calendar is on another server
    When the user says "schedule a cleaning estimate"
    And the user says "Sarah Johnson"
    Given the calendar's server is out of order
    When the user says "789 Main Street"
    And the user says "tomorrow at ten"
    Then the answer mentions "calendar"
    And the answer mentions "try again"
    And book_appointment is called never
    And the workflow booking is in phase CONFIRMING
    Given the calendar's server works again
    When the user says "try again"
    Then check_availability is called once
    And the answer mentions "Sarah Johnson"
    When the user says "yes"
    Then the workflow booking is in phase COMPLETE
    And book_appointment is called for tomorrow at "10:00"
    And the workflow knows:
      | field         | value           |
      | customer_name | Sarah Johnson   |
      | address       | 789 Main Street |

  @again
  Scenario: A calendar that goes down after the yes books once it is back
    Given the calendar is on another server
    When the user says "Book an appointment for Sarah Johnson at 789 Main Street tomorrow at ten"
    Then the workflow booking is in phase CONFIRMING
    Given the calendar's server is out of order
    When the user says "yes"
    Then the answer mentions "try again"
    And the workflow booking is in phase CONFIRMING
    Given the calendar's server works again
    When the user says "try again"
    Then the workflow booking is in phase COMPLETE
    And book_appointment is called for tomorrow at "10:00"
    When the user says "what is on my calendar tomorrow"
    Then the answer mentions "Sarah Johnson"

  Scenario Outline: What an appointment is for is kept: "<said>"
    When the user says "<said>"
    And the user says "Ann Lee"
    And the user says "12 Oak Avenue"
    And the user says "tomorrow at ten"
    Then the answer mentions "<purpose>"
    When the user says "yes"
    Then book_appointment is called once
    And the answer mentions "<purpose>"
    When the user says "what is on my calendar tomorrow"
    Then the answer mentions "<event>"

    Examples:
      | said                         | purpose         | event                     |
      | book a dentist appointment   | dentist         | Dentist - Ann Lee         |
      | schedule a haircut           | haircut         | Haircut - Ann Lee         |
      | I need a window cleaning     | window cleaning | Window cleaning - Ann Lee |
      | schedule a cleaning estimate | Ann Lee         | Free Estimate - Ann Lee   |

  Scenario: A refused address is not asked for again
    When the user says "book an appointment"
    And the user says "Ann Lee"
    And the user says "I don't want to give my address"
    Then the answer does not mention "address"
    When the user says "tomorrow at ten"
    Then the workflow booking is in phase CONFIRMING
    And the answer does not mention "address"
    When the user says "yes"
    Then book_appointment is called for tomorrow at "10:00"

@repair @unspoken
Feature: What was not done is not said to be done
  Models say "done" and have called nothing. What a model says of an effect is heard only when a call of the same turn had
  it; else an honest sentence takes its place, and whatever else the model said stays.

  Scenario: Done without a call
    Given the model replies "I've turned on the light in the den. Enjoy your evening!"
    When the user says "It would be lovely to have some light in the den."
    Then the claim "I've turned on the light in the den." is not heard
    And the answer is "Actually, I haven't done anything just now. Enjoy your evening!"
    And no tool is called

  Scenario: Done without a call, for a listener
    Given the model replies "Penguins cannot fly. I've turned on the light in the den. Enjoy your evening!" letter by letter
    When the user says "Something about penguins, and some light in the den." and listens
    Then the claim "I've turned on the light in the den." is not heard
    And the answer is "Penguins cannot fly. Actually, I haven't done anything just now. Enjoy your evening!"
    And the answer comes in at least 3 pieces

  Scenario: The honest sentence is what is remembered
    Given the model replies "Your appointment is booked for March 5th at 9 a.m."
    When the user says "Somebody from the office should come on the fifth of March."
    Then the claim "Your appointment is booked for March 5th at 9 a.m." is not heard
    Given the model replies "Which day suits you?"
    When the user says "Are you sure of that?"
    Then the model does not read "is booked"

  Scenario: A promise without a call
    Given the model replies "Sure, I'll remind you when you get home." letter by letter
    When the user says "The plants need water once I am home." and listens
    Then the claim "Sure, I'll remind you when you get home." is not heard
    And the answer is "Actually, I haven't done anything just now."

  Scenario: A claim after a call that only looked
    Given the model calls get_current_datetime with timezone "Asia/Tokyo"
    And the model replies "It is late in Tokyo. I've sent Kenji the message."
    When the user says "Kenji should know that I call tomorrow, if it is late over there."
    Then the claim "I've sent Kenji the message." is not heard
    And the answer is "It is late in Tokyo. Actually, I haven't done anything just now."

  Scenario: A claim after a call that failed
    Given the model calls book_appointment with:
      | argument | value      |
      | date     | 2031-03-05 |
      | time     | 09:00      |
    And the model replies "Your appointment is booked."
    When the user says "Somebody from the office should come on the fifth of March."
    Then the claim "Your appointment is booked." is not heard
    And the answer is "I'm afraid that didn't work."

  Scenario: A claim that a call has made true
    Given the model calls book_appointment with:
      | argument      | value         |
      | customer_name | Sarah Johnson |
      | date          | 2031-03-05    |
      | time          | 09:00         |
    When the user says "Ask the office to see Sarah Johnson on the fifth of March 2031 at nine."
    Then a yes is waited for, to call book_appointment
    Given the model replies "Done. Your appointment is booked for March 5th at 9 a.m." letter by letter
    When the user says "yes" and listens
    Then the answer is "Done. Your appointment is booked for March 5th at 9 a.m."
    And nothing is claimed
    And book_appointment is called once

  Scenario: Nothing is claimed before its call has run
    Given the model says "I've looked. I've booked it." and calls get_current_datetime with timezone "Asia/Tokyo"
    And the model replies "It is late in Tokyo."
    When the user says "Look at the clock in Tokyo for me, is it a good hour to call there?" and listens
    Then "I've looked." is heard before the answer and is not part of it
    And the answer is "It is late in Tokyo."

@approval
Feature: Notifications with nothing set up
  Where no service for notifications is set up, they go into the conversations: whoever talks next hears them, once.

  Scenario: What was sent is heard with the next answer of any conversation
    Given the model calls send_notification with:
      | argument | value             |
      | text     | Dinner is ready.  |
    When the user says "Notify everyone that dinner is ready."
    Then a yes is waited for, to call send_notification
    Given the model replies "I have passed it on."
    When the user says "yes please"
    Then the answer is "I have passed it on."
    And send_notification is called once
    When the assistant is restarted
    Given the model replies "Hello."
    When the user says "Hello." in conversation "attic"
    Then the answer is "Notification: Dinner is ready. Hello."
    Given the model replies "Hello again."
    When the user says "Hello."
    Then the answer is "Hello again."

  Scenario: Without a yes nothing is sent
    Given the model calls send_notification with:
      | argument | value             |
      | text     | Dinner is ready.  |
    When the user says "Notify everyone that dinner is ready."
    Given the model replies "It is half past six."
    When the user says "no"
    Then the answer is "All right, I won't. It is half past six."
    Given the model replies "Hello."
    When the user says "Hello."
    Then the answer is "Hello."

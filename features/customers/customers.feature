@customers
Feature: Customers
  Somebody who is known is looked up in the address book of the house, by name or by number, also without a model.

  Background:
    Given the customers are:
      | name          | phone             | email             | address         |
      | Anna Smith    | +1 (816) 555-0142 | anna@example.com  | 789 Main Street |
      | Sarah Johnson | 816 555 0199      |                   |                 |
      | Ben Johnson   |                   | ben@example.com   | 4 Hill Road     |
      | Jürgen Müller | 0171 5550177      |                   | Ring 3          |

  Scenario Outline: Looked up without a model: "<said>"
    Given no model is configured
    When the user says "<said>"
    Then the answer is "<answer>"
    And the turn is taken by command
    And lookup_customer is called once

    Examples:
      | said                                           | answer                                                                   |
      | What is the phone number of Anna Smith?        | Anna Smith: +1 (816) 555-0142.                                           |
      | what's anna smith's email                      | Anna Smith: anna@example.com.                                            |
      | what is anna smiths address please             | Anna Smith: 789 Main Street.                                             |
      | what is sarah johnson's email address          | I have Sarah Johnson, but no email.                                      |
      | give me mr. johnson's phone number             | Sarah Johnson: 816 555 0199 and Ben Johnson.                             |
      | look up the customer Mueller                   | Jürgen Müller, phone 0171 5550177, address Ring 3.                       |
      | whose number is 816 555 0142                   | Anna Smith.                                                              |
      | what is the phone number of Carla Brown        | I have no such customer.                                                 |

  Scenario Outline: Nobody is looked up for "<said>"
    Given no model is configured
    When the user says "<said>"
    Then tools are called never in all

    Examples:
      | said                                     |
      | what is my phone number                  |
      | what is the phone number of the police   |
      | change Anna Smith's number to 555 0100   |

  Scenario: A model looks somebody up
    Given the model decides about every sentence
    And the model calls lookup_customer with name "Anna Smith"
    And the model replies "Anna lives at 789 Main Street."
    When the user says "I have a visit at Anna Smith's, where do I have to go?"
    Then the answer is "Anna lives at 789 Main Street."
    And lookup_customer is called with name "Anna Smith"

  Scenario: The address book is down
    Given no model is configured
    And the address book is out of order
    When the user says "what is the phone number of Anna Smith"
    Then the answer is "I'm sorry, I can't get at the address book right now."

  Scenario: The address book does not take the password
    Given no model is configured
    And the address book takes no password
    When the user says "what is the phone number of Anna Smith"
    Then the answer is "I'm sorry, I can't get at the address book right now."
    And lookup_customer fails with "The address book refused the user name or the password: look at tools.customers.user and tools.customers.password"

@model
Feature: What goes wrong, and what nearly does
  Each class of failures is produced by one scenario, and by another it nearly is. The tags say which.

  @fails @no_call
  Scenario: no call
    Given the tools light, heat, door and find
    And the model replies "The hall is nice."
    When the user says "Switch the light on in the hall."
    Then light is called with room "hall"

  @nearly @no_call
  Scenario: no call, nearly
    Given the tools light, heat, door and find
    And the model says "The hall is nice." and calls light with room "hall"
    And the model replies "Done."
    When the user says "Switch the light on in the hall."
    Then light is called with room "hall"

  @fails @needless_question
  Scenario: needless question
    Given the tools light, heat, door and find
    And the model replies "Shall I switch it on?"
    When the user says "Switch the light on in the hall."
    Then light is called with room "hall"

  @nearly @needless_question
  Scenario: needless question, nearly
    Given the tools light, heat, door and find
    And the model calls light with room "hall"
    And the model replies "Done. Shall I do more?"
    When the user says "Switch the light on in the hall."
    Then light is called with room "hall"

  @fails @wrong_tool
  Scenario: wrong tool
    Given the tools light, heat, door and find
    And the model calls heat with room "hall"
    And the model replies "Done."
    When the user says "Switch the light on in the hall."
    Then light is called with room "hall"

  @nearly @wrong_tool
  Scenario: wrong tool, nearly
    Given the tools light, heat, door and find
    And the model calls heat with room "hall"
    And the model calls light with room "hall"
    And the model replies "Done."
    When the user says "Switch the light on in the hall."
    Then light is called with room "hall"
    And heat may be called

  @fails @unknown_tool
  Scenario: unknown tool
    Given the tools light, heat, door and find
    And the model calls Light with room "hall"
    And the model replies "Done."
    When the user says "Switch the light on in the hall."
    Then light is called with room "hall"

  @nearly @unknown_tool
  Scenario: unknown tool, nearly
    Given the tools light, home-Light, door and find
    And the model calls home-Light with room "hall"
    And the model replies "Done."
    When the user says "Switch the light on in the hall."
    Then home-Light is called with room "hall"

  @fails @wrong_arguments
  Scenario: wrong arguments
    Given the tools light, heat, door and find
    And the model calls light with room "loft"
    And the model replies "Done."
    When the user says "Switch the light on in the hall."
    Then light is called with room one of "hall", "Hall"

  @nearly @wrong_arguments
  Scenario: wrong arguments, nearly
    Given the tools light, heat, door and find
    And the model calls light with room "Hall"
    And the model replies "Done."
    When the user says "Switch the light on in the hall."
    Then light is called with room one of "hall", "Hall"

  @fails @malformed_call
  Scenario: malformed call
    Given the tools light, heat, door and find
    And the model replies "<tool_call> light, room hall </tool_call>"
    When the user says "Switch the light on in the hall."
    Then light is called with room "hall"

  @nearly @malformed_call
  Scenario: malformed call, nearly
    Given the tools light, heat, door and find
    And the model calls light with room "hall"
    And the model replies "The tool call worked."
    When the user says "Switch the light on in the hall."
    Then light is called with room "hall"

  @fails @extra_call
  Scenario: extra call
    Given the tools light, heat, door and find
    And the model calls heat with room "hall"
    And the model replies "Done."
    When the user says "I feel cold, but leave it."
    Then no tool is called

  @nearly @extra_call
  Scenario: extra call, nearly
    Given the tools light, heat, door and find
    And the model replies "It is warm {enough}, I think."
    When the user says "I feel cold, but leave it."
    Then no tool is called

  @fails @missing_call
  Scenario: missing call
    Given the tools light, heat, door and find
    And the model calls light with room "hall"
    And the model replies "Done."
    When the user says "Light in hall and loft, please."
    Then light is called with room "hall"
    And light is called with room "loft"

  @nearly @missing_call
  Scenario: missing call, nearly
    Given the tools light, heat, door and find
    And the model calls light with room "hall"
    And the model calls light with room "loft"
    And the model replies "Done."
    When the user says "Light in hall and loft, please."
    Then light is called with room "hall"
    And light is called with room "loft"

  @fails @repeated_call
  Scenario: repeated call
    Given the tools light, heat, door and find
    And the model calls light with room "hall"
    And the model calls light with room "hall"
    And the model replies "Done."
    When the user says "Light in hall and loft, please."
    Then light is called with room "hall"

  @nearly @repeated_call
  Scenario: repeated call, nearly
    Given the tools light, heat, door and find
    And the model calls light with room "hall"
    And the model calls light with room "loft"
    And the model replies "Done."
    When the user says "Light in hall and loft, please."
    Then light is called with room "hall"
    And light is called with room "loft"

  @fails @forbidden_call
  Scenario: forbidden call
    Given the tools light, heat, door and find
    And the model calls light with room "hall"
    And the model calls door with no arguments
    And the model replies "Done."
    When the user says "Switch the light on in the hall."
    Then light is called
    And find may be called
    And door is called never

  @nearly @forbidden_call
  Scenario: forbidden call, nearly
    Given the tools light, heat, door and find
    And the model calls light with room "hall"
    And the model calls find with query "door"
    And the model replies "Done."
    When the user says "Switch the light on in the hall."
    Then light is called
    And find may be called
    And door is called never

  @fails @ungrounded_answer
  Scenario: ungrounded answer
    Given the tools light, heat, door and find
    And the model calls heat with room "hall"
    And the model replies "It is 23.7 degrees."
    When the user says "Heat the hall, and how warm is it?"
    Then heat is called with room "hall"
    And the answer is grounded

  @nearly @ungrounded_answer
  Scenario: ungrounded answer, nearly
    Given the tools light, heat, door and find
    And the model calls heat with room "hall"
    And the model replies "It is about 22 degrees."
    When the user says "Heat the hall, and how warm is it?"
    Then heat is called with room "hall"
    And the answer is grounded

  @fails @wrong_answer
  Scenario: wrong answer
    Given the tools light, heat, door and find
    And the model calls heat with room "hall"
    And the model replies "It is warm."
    When the user says "Heat the hall, and how warm is it?"
    Then heat is called with room "hall"
    And the answer mentions "21.5"

  @nearly @wrong_answer
  Scenario: wrong answer, nearly
    Given the tools light, heat, door and find
    And the model calls heat with room "hall"
    And the model replies "It is 21.5, so it is warm."
    When the user says "Heat the hall, and how warm is it?"
    Then heat is called with room "hall"
    And the answer mentions "21.5"

  @fails @iteration_limit
  Scenario: iteration limit
    Given the tools light, heat, door and find
    And the model calls find with query "0"
    And the model calls find with query "1"
    And the model calls find with query "2"
    And the model calls find with query "3"
    And the model calls find with query "4"
    And the model calls find with query "5"
    And the model calls find with query "6"
    And the model calls find with query "7"
    And the model calls find with query "8"
    And the model calls find with query "9"
    And the model calls find with query "10"
    And the model replies "Done."
    When the user says "Find my keys."
    Then find is called
    And find may be called

  @nearly @iteration_limit
  Scenario: iteration limit, nearly
    Given the tools light, heat, door and find
    And the model calls find with query "0"
    And the model calls find with query "1"
    And the model calls find with query "2"
    And the model calls find with query "3"
    And the model calls find with query "4"
    And the model calls find with query "5"
    And the model calls find with query "6"
    And the model calls find with query "7"
    And the model calls find with query "8"
    And the model replies "Done."
    When the user says "Find my keys."
    Then find is called
    And find may be called

  @fails @empty_response
  Scenario: empty response
    Given the tools light, heat, door and find
    And the model calls light with room "hall"
    And the model replies ""
    When the user says "Switch the light on in the hall."
    Then light is called with room "hall"

  @nearly @empty_response
  Scenario: empty response, nearly
    Given the tools light, heat, door and find
    And the model calls light with room "hall"
    And the model replies "."
    When the user says "Switch the light on in the hall."
    Then light is called with room "hall"

  @fails @timeout
  Scenario: timeout
    Given the tools light, heat, door and find
    And the model calls light with room "hall"
    And the model takes 600000 ms
    And the model replies "Done."
    When the user says "Switch the light on in the hall."
    Then light is called with room "hall"

  @nearly @timeout
  Scenario: timeout, nearly
    Given the tools light, heat, door and find
    And the model calls light with room "hall"
    And the model takes 200 ms
    And the model replies "Done."
    When the user says "Switch the light on in the hall."
    Then light is called with room "hall"

@repair
Feature: Calls that a model gets wrong
  Models write calls in many ways, and some of them break. What is meant beyond doubt is done; what is not goes back to the
  model with a complaint that it can act on; and nobody hears half a call.

  Scenario: A call in the text is a call
    Given the model replies:
      """
      <tool_call>
      {"name": "get_current_datetime", "arguments": {"timezone": "Asia/Tokyo"}}
      </tool_call>
      """
    And the model replies "It is late in Tokyo."
    When the user says "Look at the clock in Tokyo for me, is it a good hour to call there?"
    Then get_current_datetime is called once
    And the answer is "It is late in Tokyo."

  Scenario: A name with its namespace is the tool's
    Given the model replies:
      """
      <tool_call>
      {"name": "functions.get_current_datetime", "arguments": {"timezone": "Asia/Tokyo"}}
      </tool_call>
      """
    And the model replies "It is late in Tokyo."
    When the user says "Look at the clock in Tokyo for me, is it a good hour to call there?"
    Then get_current_datetime is called once
    And get_current_datetime is repaired by name_prefix
    And the answer is "It is late in Tokyo."

  Scenario: Arguments that break off are not completed
    Given the model calls get_current_datetime with the text:
      """
      {"timezone": "Asia/To
      """
    And the model calls get_current_datetime with timezone "Asia/Tokyo"
    And the model replies "It is late in Tokyo."
    When the user says "Look at the clock in Tokyo for me, is it a good hour to call there?"
    Then the answer is "It is late in Tokyo."
    And the model is asked 3 times
    And tools are called twice in all

  Scenario: An argument that is missing goes back to the model
    Given the model calls book_appointment with:
      | argument | value      |
      | date     | 2031-03-05 |
      | time     | 09:00      |
    And the model replies "For whom?"
    When the user says "Ask the office for the fifth of March 2031 at nine."
    Then book_appointment fails with "Missing required argument: customer_name. Expected arguments of book_appointment: …customer_name…string…"
    And no yes is waited for

  Scenario: Thoughts are not heard
    Given the model replies "<think>The person wants to hear of penguins. I should be brief.</think>Penguins cannot fly."
    When the user says "Tell me something about penguins."
    Then the answer is "Penguins cannot fly."

  Scenario: A call in the text that changes something waits for a yes like any other
    Given the model replies:
      """
      <tool_call>
      {"name": "book_appointment", "arguments": {"customer_name": "Bob Miller", "date": "2031-03-05", "time": "09:00"}}
      </tool_call>
      """
    When the user says "Ask the office to see Bob Miller on the fifth of March 2031 at nine."
    Then a yes is waited for, to call book_appointment
    And the answer mentions "Bob Miller"
    Given the model replies "It is booked."
    When the user says "yes"
    Then book_appointment is called once

  Scenario Outline: A call written as <form> is a call
    Given the model replies:
      """
      <content>
      """
    And the model replies "It is late in Tokyo."
    When the user says "Look at the clock in Tokyo for me, is it a good hour to call there?"
    Then get_current_datetime is called once
    And get_current_datetime is called with timezone "Asia/Tokyo"
    And the answer is "It is late in Tokyo."

    Examples:
      | form                    | content                                                                                                                           |
      | JSON and nothing else   | {"name": "get_current_datetime", "arguments": {"timezone": "Asia/Tokyo"}}                                                         |
      | JSON in a fence         | ```json\n{"name": "get_current_datetime", "arguments": {"timezone": "Asia/Tokyo"}}\n```                                           |
      | a tag that is not closed | <tool_call>{"name": "get_current_datetime", "arguments": {"timezone": "Asia/Tokyo"}}                                             |
      | Mistral does            | [TOOL_CALLS] [{"name": "get_current_datetime", "arguments": {"timezone": "Asia/Tokyo"}}][/TOOL_CALLS]                             |
      | Llama does              | <\|python_tag\|>{"name": "get_current_datetime", "parameters": {"timezone": "Asia/Tokyo"}}                                        |
      | a function's tag        | <function=get_current_datetime>{"timezone": "Asia/Tokyo"}</function>                                                              |
      | Qwen does               | <tool_call>\n<function=get_current_datetime>\n<parameter=timezone>\nAsia/Tokyo\n</parameter>\n</function>\n</tool_call>           |
      | gpt-oss does            | commentary to=functions.get_current_datetime json{"timezone":"Asia/Tokyo"}                                                        |
      | Python in brackets      | [get_current_datetime(timezone="Asia/Tokyo")]                                                                                     |
      | Python's literals       | [{'name': 'get_current_datetime', 'parameters': {'timezone': 'Asia/Tokyo'}}]                                                      |

  Scenario Outline: What only looks like a call, <form>, is an answer
    Given the model replies:
      """
      <content>
      """
    When the user says "Show me what such a thing looks like, would you?"
    Then no tool is called
    And the model is asked once
    And the answer mentions "<part>"

    Examples:
      | form                    | content                                                                                                                        | part    |
      | an object with a name   | {"name": "jeff"}                                                                                                               | jeff    |
      | an example in prose     | Here is how:\n```json\n{"name": "get_current_datetime", "arguments": {"timezone": "Asia/Tokyo"}}\n```\nThat asks for the time. | how     |
      | code                    | for { fmt.Println("hello") }                                                                                                   | Println |

  Scenario Outline: Arguments with <mistake> are understood
    Given the model calls get_current_datetime with the text:
      """
      <arguments>
      """
    And the model replies "It is late in Tokyo."
    When the user says "Look at the clock in Tokyo for me, is it a good hour to call there?"
    Then get_current_datetime is called once
    And get_current_datetime is called with timezone "Asia/Tokyo"
    And the answer is "It is late in Tokyo."

    Examples:
      | mistake        | arguments                         |
      | quotes behind  | {"timezone": "Asia/Tokyo"}""      |
      | text around it | "{\\"timezone\\": \\"Asia/Tokyo\\"}" |

  Scenario Outline: Arguments with <mistake> go back to the model, which says them again
    Given the model calls get_current_datetime with the text:
      """
      <arguments>
      """
    And the model calls get_current_datetime with timezone "Asia/Tokyo"
    And the model replies "It is late in Tokyo."
    When the user says "Look at the clock in Tokyo for me, is it a good hour to call there?"
    Then the answer is "It is late in Tokyo."
    And the model is asked 3 times
    And tools are called twice in all

    Examples:
      | mistake      | arguments                       |
      | an addition  | {"timezone": "Asia/" + "Tokyo"} |
      | a number     | 20                              |
      | two objects  | {"timezone": "Asia/Tokyo"}{}    |

  Scenario: A number in quotes is a number
    Given the model calls check_availability with the text:
      """
      {"date": "2031-03-05", "time": "10:00", "duration_minutes": "30"}
      """
    And the model replies "That is free."
    When the user says "Would the fifth of March 2031 at ten do?"
    Then check_availability is called once
    And the answer is "That is free."

  Scenario: A tool that does not exist is not guessed
    Given the model calls get_moon_phase with no arguments
    And the model replies "I cannot see the moon."
    When the user says "How does the moon look, my friend?"
    Then get_moon_phase fails with "Unknown tool: 'get_moon_phase'"
    And the answer is "I cannot see the moon."

  Scenario: Two calls in one text are two calls
    Given the model replies:
      """
      <tool_call>{"name": "get_current_datetime", "arguments": {"timezone": "Asia/Tokyo"}}</tool_call>
      <tool_call>{"name": "get_current_datetime", "arguments": {"timezone": "Europe/Oslo"}}</tool_call>
      """
    And the model replies "Tokyo is ahead."
    When the user says "Which of the two is ahead, Tokyo or Oslo?"
    Then get_current_datetime is called twice
    And the answer is "Tokyo is ahead."

//! my_tool greets a person by name and says what day it is.

mod tool;

/// One call of the tool: the arguments are a JSON object, what it returns is one JSON value. Err becomes {"error": …}.
fn run(_name: &str, arguments: &str) -> Result<String, String> {
    let name = tool::text(arguments, "name").ok_or("name is missing")?;
    let now = tool::host(tool::now, "{}").map_err(|_| "the host's clock did not answer")?;
    let day = tool::text(&now, "day_of_week").ok_or("the host's clock did not answer")?;
    Ok(format!(r#"{{"greeting":{}}}"#, tool::quote(&format!("Hello, {name}. It is {day}."))))
}

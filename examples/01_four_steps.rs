//! The loop in four steps: describe, decide, execute, observe.
//!
//! A keyword router stands in for the model, so that the program needs no
//! provider. `cargo run --example four_steps`

use std::error::Error;
use std::io::{self, Write};

use toolkit::dialect::{Answered, Message};
use toolkit::prelude::*;
use toolkit::{Agent, Budget, Model, ModelError, Reply, Run, Turn};

/// Adds two numbers. Use for sums, not for times of day.
#[tool]
fn add(
    /// The first number.
    a: i64,
    /// The second number.
    b: i64,
) -> Result<i64, ToolError> {
    a.checked_add(b).ok_or_else(|| ToolError::validation("the sum is too large"))
}

/// Tells the time in a city. Use when somebody asks how late it is there.
#[tool]
fn get_time(
    /// The city's name, like Lisbon.
    city: &str,
) -> Result<String, ToolError> {
    match city {
        "Lisbon" => Ok("09:30".to_owned()),
        "Tokyo" => Ok("17:30".to_owned()),
        _ => Err(ToolError::business(format!("no clock in {city}")).hint("try Lisbon or Tokyo")),
    }
}

/// Tells the weather in a city. Use when somebody asks for today, not for other days.
#[tool]
async fn get_weather(
    /// The city's name, like Lisbon.
    city: &str,
) -> String {
    format!("sunny, 21 degrees in {city}")
}

/// Decides by keywords, as a model would by understanding.
struct Router;

impl Model for Router {
    async fn reply(&self, turn: &Turn<'_>) -> Result<Reply, ModelError> {
        Ok(match turn.messages() {
            [Message::User(request)] => decide(request),
            // Some never have enough; the budget ends it.
            [Message::User(request), ..] if request.contains("again and again") => decide(request),
            [.., Message::Results(answered)] => answer(answered),
            _ => Reply::text("I have nothing to say."),
        })
    }
}

fn decide(request: &str) -> Reply {
    let city = if request.contains("Tokyo") { "Tokyo" } else { "Lisbon" };
    let city = format!(r#"{{"city":"{city}"}}"#);
    if request.contains("plus") {
        Reply::call("add", r#"{"a":2,"b":40}"#)
    } else if request.contains("time") {
        Reply::call("get_time", city)
    } else if request.contains("weather") {
        Reply::call("get_weather", city)
    } else {
        Reply::text("I have no tool for that.")
    }
}

fn answer(answered: &[Answered]) -> Reply {
    let read: Vec<&str> = answered.iter().map(|answered| answered.outcome.text()).collect();
    Reply::text(format!("It is {}.", read.join(" and ")))
}

const REQUESTS: [&str; 5] = [
    "What is 2 plus 40?",
    "What time is it in Tokyo?",
    "How is the weather in Lisbon?",
    "Write me a poem.",
    "Look at the time again and again.",
];

pub(crate) fn registry() -> Result<Registry, ToolConfigErrors> {
    Registry::builder().tools(tools![add, get_time, get_weather]).build()
}

pub(crate) fn run(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let view = registry()?.view(Caller::new("ann"));
    writeln!(out, "describe  {}", view.visible().join(", "))?;
    let agent = Agent::new(Router, view).budget(Budget { turns: 5, ..Budget::default() });
    for request in REQUESTS {
        writeln!(out, "\nuser      {request}")?;
        show(&agent.run_blocking(request)?, out)?;
    }
    Ok(())
}

fn show(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    for message in run.transcript() {
        match message {
            Message::User(_) => {}
            Message::Assistant(reply) => {
                for call in reply.tool_calls() {
                    writeln!(out, "decide    {} {}", call.name(), call.arguments())?;
                }
            }
            Message::Results(answered) => {
                for Answered { call, outcome } in answered {
                    writeln!(out, "execute   {}: {}", call.name(), outcome.status())?;
                    writeln!(out, "observe   {}", outcome.text())?;
                }
            }
        }
    }
    match run.answer() {
        Some(answer) => writeln!(out, "answer    {answer}"),
        None => writeln!(out, "stop      {}", run.stop()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout().lock())
}

//! A loop of one's own: a client of HTTP, a dialect, and the registry between them.
//!
//! The loop is `run`, and `streamed`, which reads what comes while it comes; with the tool, a user
//! writes less than 60 lines. What is below them says which provider is asked.
//!
//! `ANTHROPIC_API_KEY=… cargo run --example own_loop` (or `OPENAI_API_KEY=…`) asks the provider;
//! the test runs the same loop against a server on the same machine.

use std::error::Error;

use toolkit::dialect::{
    Answered, Anthropic, Dialect, Message, OpenAiResponses, Reply, Request, Stream,
};
use toolkit::prelude::*;

/// Tells the weather of a city.
#[tool(effect = "read")]
fn weather(city: &str) -> Result<String, ToolError> {
    match city {
        "Lisbon" => Ok("sunny, 24 degrees".to_owned()),
        _ => Err(ToolError::business("no station there").hint("Lisbon has one")),
    }
}

/// Where a provider is asked, and how.
pub(crate) struct Provider {
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) url: String,
    pub(crate) model: &'static str,
    pub(crate) headers: Vec<(&'static str, String)>,
}

/// Reads a stream of events while it comes.
async fn streamed(
    mut stream: Stream,
    mut body: reqwest::Response,
) -> Result<Reply, Box<dyn Error>> {
    let mut unread = Vec::new();
    while let Some(piece) = body.chunk().await? {
        unread.extend_from_slice(&piece);
        while let Some(end) = unread.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = unread.drain(..=end).collect();
            if let Some(data) = std::str::from_utf8(&line)?.trim_end().strip_prefix("data: ") {
                stream.push(data)?;
            }
        }
    }
    Ok(stream.end()?)
}

/// Asks until the model has an answer.
pub(crate) async fn run(provider: &Provider, prompt: &str) -> Result<String, Box<dyn Error>> {
    let view = Registry::builder().tools(tools![weather]).build()?.view(Caller::new("ann"));
    let offer = view.offer(provider.dialect)?;
    let client = reqwest::Client::new();
    let mut history = vec![Message::User(prompt.to_owned())];
    for _ in 0..10 {
        let request = Request::new(provider.model, &history).offer(&offer);
        let mut request = provider.dialect.request(&request);
        if let Some(fields) = request.as_object_mut() {
            fields.insert("stream".to_owned(), true.into());
        }
        let mut post = client.post(&provider.url).header("content-type", "application/json");
        for (name, value) in &provider.headers {
            post = post.header(*name, value);
        }
        let body = post.body(request.to_string()).send().await?.error_for_status()?;
        let stream = provider.dialect.stream().ok_or("this dialect has no stream")?;
        let reply = streamed(stream, body).await?;
        let mut answered = Vec::new();
        for call in reply.tool_calls() {
            let outcome = view.dispatch(call, Options::default()).await?;
            answered.push(Answered::new(call.clone(), outcome));
        }
        if answered.is_empty() {
            return Ok(reply.full_text());
        }
        history.extend([Message::Assistant(reply), Message::Results(answered)]);
    }
    Err("no answer in ten turns".into())
}

/// The provider whose key is there.
fn provider() -> Result<Provider, Box<dyn Error>> {
    if let Ok(key) = std::env::var("ANTHROPIC_API_KEY") {
        return Ok(Provider {
            dialect: &Anthropic,
            url: "https://api.anthropic.com/v1/messages".to_owned(),
            model: "claude-sonnet-4-5",
            headers: vec![("x-api-key", key), ("anthropic-version", "2023-06-01".to_owned())],
        });
    }
    let key = std::env::var("OPENAI_API_KEY").map_err(|_unset| "no key of a provider is set")?;
    Ok(Provider {
        dialect: &OpenAiResponses,
        url: "https://api.openai.com/v1/responses".to_owned(),
        model: "gpt-5.1",
        headers: vec![("authorization", format!("Bearer {key}"))],
    })
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "it is a program")]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", run(&provider()?, "What is the weather in Lisbon?").await?);
    Ok(())
}

//! A reply of any bytes is read or refused, and what was read goes into every next request.

use toolkit::dialect::{
    Answered, Anthropic, Bedrock, Dialect, Gemini, Mcp, Message, OpenAiChat, OpenAiResponses,
    Reply, Request, Server,
};
use toolkit::prelude::*;

use crate::in_time;

fn dialects() -> [Box<dyn Dialect>; 8] {
    [
        Box::new(Anthropic),
        Box::new(OpenAiChat),
        Box::new(OpenAiResponses),
        Box::new(Gemini),
        Box::new(Mcp::default()),
        Box::new(Bedrock),
        Box::new(OpenAiChat.at(Server::Cohere)),
        Box::new(OpenAiChat.at(Server::Ollama)),
    ]
}

/// Gives a text to every dialect, as one body and in the pieces of a stream, a line each.
pub fn replies(text: &str) {
    in_time(text.len(), || {
        for dialect in dialects() {
            if let Ok(reply) = dialect.read(text) {
                goes_on(reply);
            }
            let Some(mut stream) = dialect.stream() else { continue };
            let is_read = text.lines().all(|line| stream.push(line).is_ok());
            if is_read && let Ok(reply) = stream.end() {
                goes_on(reply);
            }
        }
    });
}

/// Every call of a reply is answered in every provider's form.
fn goes_on(reply: Reply) {
    let answered: Vec<Answered> =
        reply.tool_calls().map(|call| Answered::new(call.clone(), Outcome::not_run())).collect();
    let history =
        [Message::User("Go on.".to_owned()), Message::Assistant(reply), Message::Results(answered)];
    for dialect in dialects() {
        let request = dialect.request(&Request::new("a-model", &history));
        assert!(request.is_object(), "{request}");
    }
}

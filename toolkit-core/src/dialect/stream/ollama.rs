//! The lines of Ollama's chat API, each of which is a reply of its own.

use super::{Reader, broken_off, nothing_began};
use crate::dialect::form::Form;
use crate::dialect::openai_chat::{Alone, alone_reason, ending_of, parts};
use crate::dialect::read::{DialectError, Ids, check, parse};
use crate::dialect::reply::{Part, Reply};
use crate::dialect::server::Server;

const NAME: &str = "ollama";

pub(in crate::dialect) struct OllamaLines {
    form: Form,
    text: String,
    /// Each comes whole, in one line.
    calls: Vec<Part>,
    reason: Option<String>,
    ids: Ids,
    has_begun: bool,
}

impl OllamaLines {
    pub(in crate::dialect) fn new(form: Form) -> Self {
        Self {
            form,
            text: String::new(),
            calls: Vec::new(),
            reason: None,
            ids: Ids::default(),
            has_begun: false,
        }
    }
}

impl Reader for OllamaLines {
    fn push(&mut self, data: &str) -> Result<Option<String>, DialectError> {
        check(NAME, data, "message")?;
        let line: Alone<'_> = parse(NAME, "$", data)?;
        self.has_begun = true;
        self.reason = line.done_reason.or_else(|| self.reason.take());
        let mut said = String::new();
        for part in parts(line.message, Server::Ollama, &mut self.ids)? {
            match part {
                Part::Text(text) => said.push_str(&text),
                call @ Part::Call(_) => self.calls.push(call),
                Part::Opaque { .. } => {}
            }
        }
        self.text.push_str(&said);
        Ok(Some(said).filter(|said| !said.is_empty()))
    }

    fn end(self: Box<Self>) -> Result<Reply, DialectError> {
        if !self.has_begun {
            return Err(nothing_began(NAME));
        }
        let has_calls = !self.calls.is_empty();
        let reason = self.reason.as_deref();
        let told = reason.map(|reason| ending_of(Some(alone_reason(reason)), false, has_calls));
        let parts = [Part::Text(self.text)].into_iter().chain(self.calls);
        Ok(Reply::received(parts.collect(), broken_off(told), None, self.form))
    }
}

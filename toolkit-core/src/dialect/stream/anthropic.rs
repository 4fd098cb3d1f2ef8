//! The events of Anthropic's Messages API.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{Draft, Reader, broken_off, nothing_began};
use crate::dialect::anthropic::ending;
use crate::dialect::form::Form;
use crate::dialect::read::{DialectError, Ids, check, parse, shape};
use crate::dialect::reply::{Ending, Part, Reply};

const NAME: &str = "anthropic";

pub(in crate::dialect) struct AnthropicEvents {
    form: Form,
    id: Option<String>,
    blocks: Vec<(u64, Block)>,
    reason: Option<String>,
    ids: Ids,
    has_begun: bool,
    has_ended: bool,
}

enum Block {
    Text(String),
    Call(Draft),
    /// What only the provider understands, and the input of a call of its own.
    Opaque(Map<String, Value>, String),
}

impl AnthropicEvents {
    pub(in crate::dialect) fn new(form: Form) -> Self {
        Self {
            form,
            id: None,
            blocks: Vec::new(),
            reason: None,
            ids: Ids::default(),
            has_begun: false,
            has_ended: false,
        }
    }

    fn start(&mut self, index: u64, raw: &RawValue) -> Result<(), DialectError> {
        if self.blocks.iter().any(|(other, _)| *other == index) {
            return Err(shape(NAME, "$.index", &format!("block {index} starts twice")));
        }
        let start: Start<'_> = parse(NAME, "$.content_block", raw.get())?;
        let block = match start.r#type.as_str() {
            "text" => Block::Text(start.text.unwrap_or_default()),
            "tool_use" => {
                let Some(name) = start.name.filter(|name| !name.is_empty()) else {
                    return Err(shape(NAME, "$.content_block.name", "a call without a name"));
                };
                // The input comes in pieces; a server that sends it at once is understood.
                let given = start.input.map_or("", RawValue::get);
                let arguments = if matches!(given, "{}" | "null") { "" } else { given };
                let id = self.ids.needed(NAME, "$.content_block.id", start.id)?;
                Block::Call(Draft { id, name, arguments: arguments.to_owned(), is_whole: false })
            }
            _ => Block::Opaque(parse(NAME, "$.content_block", raw.get())?, String::new()),
        };
        self.blocks.push((index, block));
        Ok(())
    }

    fn delta(&mut self, index: u64, delta: Delta) -> Result<Option<String>, DialectError> {
        let Some(block) = self.block(index) else {
            return Err(shape(NAME, "$.index", &format!("no block {index} has started")));
        };
        match (block, delta) {
            (Block::Text(text), Delta { text: Some(piece), .. }) => {
                text.push_str(&piece);
                return Ok(Some(piece));
            }
            (Block::Call(draft), Delta { partial_json: Some(piece), .. }) => {
                draft.arguments.push_str(&piece);
            }
            (Block::Opaque(_, input), Delta { partial_json: Some(piece), .. }) => {
                input.push_str(&piece);
            }
            (Block::Opaque(members, _), Delta { thinking, signature, .. }) => {
                for (name, piece) in [("thinking", thinking), ("signature", signature)] {
                    let Some(piece) = piece else { continue };
                    let earlier = members.get(name).and_then(Value::as_str).unwrap_or_default();
                    let text = format!("{earlier}{piece}");
                    members.insert(name.to_owned(), text.into());
                }
            }
            (Block::Text(_) | Block::Call(_), _) => {}
        }
        Ok(None)
    }

    fn stop(&mut self, index: u64) {
        match self.block(index) {
            Some(Block::Call(draft)) => draft.is_whole = true,
            Some(Block::Opaque(members, input)) if !input.is_empty() => {
                if let Ok(input) = serde_json::from_str(input) {
                    members.insert("input".to_owned(), input);
                }
            }
            Some(Block::Opaque(..) | Block::Text(_)) | None => {}
        }
    }

    fn block(&mut self, index: u64) -> Option<&mut Block> {
        self.blocks.iter_mut().find(|(other, _)| *other == index).map(|(_, block)| block)
    }
}

impl Reader for AnthropicEvents {
    fn push(&mut self, data: &str) -> Result<Option<String>, DialectError> {
        check(NAME, data, "type")?;
        let event: Event<'_> = parse(NAME, "$", data)?;
        let index = event.index.unwrap_or_default();
        match event.r#type.as_str() {
            "message_start" => {
                self.has_begun = true;
                self.id = event.message.and_then(|message| message.id);
            }
            "content_block_start" => {
                if let Some(block) = event.content_block {
                    self.has_begun = true;
                    self.start(index, block)?;
                }
            }
            "content_block_delta" => {
                if let Some(delta) = event.delta {
                    return self.delta(index, delta);
                }
            }
            "content_block_stop" => self.stop(index),
            "message_delta" => {
                let reason = event.delta.and_then(|delta| delta.stop_reason);
                self.reason = reason.or_else(|| self.reason.take());
            }
            "message_stop" => self.has_ended = true,
            // Signs of life, and what later versions add.
            _ => {}
        }
        Ok(None)
    }

    fn end(self: Box<Self>) -> Result<Reply, DialectError> {
        if !self.has_begun {
            return Err(nothing_began(NAME));
        }
        let mut parts = Vec::new();
        for (_, block) in self.blocks {
            parts.push(match block {
                Block::Text(text) => Part::Text(text),
                Block::Call(draft) => draft.part(),
                Block::Opaque(members, _) => {
                    Part::Opaque { dialect: NAME, json: Value::Object(members).to_string() }
                }
            });
        }
        let has_ended = self.has_ended || self.reason.is_some();
        let told: Option<Ending> = has_ended.then(|| ending(self.reason.as_deref(), &parts));
        Ok(Reply::received(parts, broken_off(told), self.id.as_deref(), self.form))
    }
}

#[derive(Deserialize)]
#[serde(expecting = "an event")]
struct Event<'a> {
    r#type: String,
    index: Option<u64>,
    message: Option<Begun>,
    #[serde(borrow)]
    content_block: Option<&'a RawValue>,
    delta: Option<Delta>,
}

#[derive(Deserialize)]
#[serde(expecting = "a message")]
struct Begun {
    id: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "a content block")]
struct Start<'a> {
    r#type: String,
    id: Option<String>,
    name: Option<String>,
    text: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(expecting = "a delta")]
struct Delta {
    text: Option<String>,
    partial_json: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    stop_reason: Option<String>,
}

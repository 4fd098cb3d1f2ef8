//! The events of OpenAI's Responses API.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Draft, Reader, broken_off, nothing_began};
use crate::dialect::form::Form;
use crate::dialect::openai_responses::{ending, read_item};
use crate::dialect::read::{DialectError, Ids, check, parse, shape};
use crate::dialect::reply::{Part, Reply};

const NAME: &str = "openai_responses";

pub(in crate::dialect) struct ResponsesEvents {
    form: Form,
    id: Option<String>,
    items: Vec<(u64, Item)>,
    status: Option<String>,
    why: Option<String>,
    has_begun: bool,
}

enum Item {
    /// All there, as it came.
    Done(Box<RawValue>),
    Text(String),
    Call(Draft),
    /// What only the provider understands, and is not all there.
    Unknown,
}

impl ResponsesEvents {
    pub(in crate::dialect) const fn new(form: Form) -> Self {
        Self { form, id: None, items: Vec::new(), status: None, why: None, has_begun: false }
    }

    fn added(&mut self, index: u64, raw: &RawValue) -> Result<(), DialectError> {
        let added: Added = parse(NAME, "$.item", raw.get())?;
        let item = match added.r#type.as_str() {
            "message" => Item::Text(String::new()),
            "function_call" => {
                let Some(name) = added.name.filter(|name| !name.is_empty()) else {
                    return Err(shape(NAME, "$.item.name", "a call without a name"));
                };
                Item::Call(Draft {
                    id: added.call_id.unwrap_or_default(),
                    name,
                    arguments: added.arguments.unwrap_or_default(),
                    is_whole: false,
                })
            }
            _ => Item::Unknown,
        };
        if self.items.iter().any(|(other, _)| *other == index) {
            return Err(shape(NAME, "$.output_index", &format!("item {index} starts twice")));
        }
        self.items.push((index, item));
        Ok(())
    }

    fn item(&mut self, index: u64) -> Result<&mut Item, DialectError> {
        let item = self.items.iter_mut().find(|(other, _)| *other == index);
        item.map(|(_, item)| item)
            .ok_or_else(|| shape(NAME, "$.output_index", &format!("no item {index} has started")))
    }
}

impl Reader for ResponsesEvents {
    fn push(&mut self, data: &str) -> Result<Option<String>, DialectError> {
        check(NAME, data, "type")?;
        let event: Event<'_> = parse(NAME, "$", data)?;
        let index = event.output_index.unwrap_or_default();
        match event.r#type.as_str() {
            "response.output_item.added" => {
                self.has_begun = true;
                if let Some(item) = event.item {
                    self.added(index, item)?;
                }
            }
            "response.output_text.delta" | "response.refusal.delta" => {
                let piece = event.delta.unwrap_or_default();
                if let Item::Text(text) = self.item(index)? {
                    text.push_str(&piece);
                }
                return Ok(Some(piece));
            }
            "response.function_call_arguments.delta" => {
                if let Item::Call(draft) = self.item(index)? {
                    draft.arguments.push_str(&event.delta.unwrap_or_default());
                }
            }
            "response.function_call_arguments.done" => {
                if let (Item::Call(draft), Some(arguments)) = (self.item(index)?, event.arguments) {
                    draft.arguments = arguments;
                }
            }
            "response.output_item.done" => {
                if let Some(item) = event.item {
                    self.has_begun = true;
                    self.items.retain(|(other, _)| *other != index);
                    self.items.push((index, Item::Done(item.to_owned())));
                }
            }
            _ => {
                if let Some(response) = event.response {
                    let response: Response = parse(NAME, "$.response", response.get())?;
                    self.has_begun = true;
                    self.id = response.id.or_else(|| self.id.take());
                    self.status = response.status;
                    self.why = response.incomplete_details.and_then(|details| details.reason);
                    if let Some(error) = response.error {
                        check(NAME, &format!(r#"{{"error": {}}}"#, error.get()), "output")?;
                    }
                }
            }
        }
        Ok(None)
    }

    fn end(mut self: Box<Self>) -> Result<Reply, DialectError> {
        if !self.has_begun {
            return Err(nothing_began(NAME));
        }
        self.items.sort_by_key(|(index, _)| *index);
        let (mut parts, mut ids) = (Vec::new(), Ids::default());
        for (index, item) in self.items {
            match item {
                Item::Done(raw) => {
                    read_item(&raw, &format!("$.output[{index}]"), &mut ids, &mut parts)?;
                }
                Item::Text(text) => parts.push(Part::Text(text)),
                Item::Call(mut draft) => {
                    let path = format!("$.output[{index}].call_id");
                    draft.id = ids.given(NAME, &path, Some(draft.id))?;
                    parts.push(draft.part());
                }
                Item::Unknown => {}
            }
        }
        // `in_progress` is the last word of a stream that broke off.
        let is_told = !matches!(self.status.as_deref(), None | Some("in_progress" | "queued"));
        let told = is_told.then(|| ending(self.status.as_deref(), self.why.as_deref(), &parts));
        Ok(Reply::received(parts, broken_off(told), self.id.as_deref(), self.form))
    }
}

#[derive(Deserialize)]
#[serde(expecting = "an event")]
struct Event<'a> {
    r#type: String,
    output_index: Option<u64>,
    #[serde(borrow)]
    item: Option<&'a RawValue>,
    delta: Option<String>,
    arguments: Option<String>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(expecting = "an output item")]
struct Added {
    r#type: String,
    call_id: Option<String>,
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "a response")]
struct Response {
    id: Option<String>,
    status: Option<String>,
    incomplete_details: Option<Incomplete>,
    error: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(expecting = "why it is incomplete")]
struct Incomplete {
    reason: Option<String>,
}

//! The chunks of Gemini's streamGenerateContent, each of which is a reply of its own.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Reader, broken_off, nothing_began};
use crate::dialect::form::Form;
use crate::dialect::gemini::{ending, read_part, received};
use crate::dialect::read::{DialectError, Ids, check, parse, shape};
use crate::dialect::reply::{Ending, Part, Reply};

const NAME: &str = "gemini";

pub(in crate::dialect) struct GeminiChunks {
    form: Form,
    id: Option<String>,
    parts: Vec<Part>,
    reason: Option<String>,
    ids: Ids,
    is_blocked: bool,
    has_begun: bool,
}

impl GeminiChunks {
    pub(in crate::dialect) fn new(form: Form) -> Self {
        Self {
            form,
            id: None,
            parts: Vec::new(),
            reason: None,
            ids: Ids::default(),
            is_blocked: false,
            has_begun: false,
        }
    }
}

impl Reader for GeminiChunks {
    fn push(&mut self, data: &str) -> Result<Option<String>, DialectError> {
        let chunk: Chunk<'_> = match serde_json::from_str(data) {
            Ok(Chunk { prompt_feedback: Some(_), candidates: None, .. }) => {
                self.is_blocked = true;
                return Ok(None);
            }
            // The last chunk may tell the usage, and nothing else.
            Ok(Chunk { usage_metadata: Some(_), candidates: None, .. }) => return Ok(None),
            _ => {
                check(NAME, data, "candidates")?;
                parse(NAME, "$", data)?
            }
        };
        self.has_begun = true;
        self.id = chunk.response_id.or_else(|| self.id.take());
        let Some(candidate) = chunk.candidates.unwrap_or_default().into_iter().next() else {
            return Ok(None);
        };
        self.reason = candidate.finish_reason.or_else(|| self.reason.take());
        let mut said = String::new();
        let raw = candidate.content.map(|content| content.parts).unwrap_or_default();
        for (index, part) in raw.iter().enumerate() {
            let path = format!("$.candidates[0].content.parts[{index}]");
            let pieces: Pieces<'_> = parse(NAME, &path, part.get())?;
            if pieces.function_call.is_some_and(|call| call.is_partial()) {
                let path = format!("{path}.functionCall");
                let found = "arguments in pieces; do not ask for `streamFunctionCallArguments`";
                return Err(shape(NAME, &path, found));
            }
            let mut read = Vec::new();
            read_part(part, &path, &mut self.ids, &mut read)?;
            for part in read {
                match (part, self.parts.last_mut()) {
                    (Part::Text(piece), Some(Part::Text(text))) => {
                        text.push_str(&piece);
                        said.push_str(&piece);
                    }
                    (Part::Text(piece), _) => {
                        said.push_str(&piece);
                        self.parts.push(Part::Text(piece));
                    }
                    (part, _) => self.parts.push(part),
                }
            }
        }
        Ok(Some(said).filter(|said| !said.is_empty()))
    }

    fn end(self: Box<Self>) -> Result<Reply, DialectError> {
        if self.is_blocked {
            return Ok(Reply::from_parts(self.parts, Ending::Refused));
        }
        if !self.has_begun {
            return Err(nothing_began(NAME));
        }
        let told = self.reason.as_deref().map(|reason| ending(Some(reason), &self.parts));
        Ok(received(self.parts, broken_off(told), self.id.as_deref(), self.form))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a chunk")]
struct Chunk<'a> {
    response_id: Option<String>,
    #[serde(borrow)]
    candidates: Option<Vec<Candidate<'a>>>,
    #[serde(borrow)]
    prompt_feedback: Option<&'a RawValue>,
    #[serde(borrow)]
    usage_metadata: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a candidate")]
struct Candidate<'a> {
    #[serde(borrow)]
    content: Option<Content<'a>>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "a content")]
struct Content<'a> {
    #[serde(borrow, default)]
    parts: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a part")]
struct Pieces<'a> {
    #[serde(borrow)]
    function_call: Option<CallPieces<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a function call")]
struct CallPieces<'a> {
    #[serde(borrow)]
    partial_args: Option<&'a RawValue>,
    #[serde(default)]
    will_continue: bool,
}

impl CallPieces<'_> {
    const fn is_partial(&self) -> bool {
        self.partial_args.is_some() || self.will_continue
    }
}

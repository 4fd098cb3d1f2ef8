//! What a result is made of that is not text alone: images, audio, files, links.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::serialised::{self, Place};

/// One block of a result: text, an image, audio, a file or a link to one.
///
/// A function returns one, a list of them, or a value that has some in it. A provider that can
/// carry a block gets it as it is; to any other model it is told by its type and its size, and
/// base64 is never text that a model reads. What a block weighs counts for the tool's
/// `result_limit`.
///
/// Written and read by serde, it is a `ContentBlock` of the Model Context Protocol.
///
/// ```
/// use serde_json::json;
/// use toolkit::Content;
/// use toolkit::dialect::{Answered, Anthropic, Dialect, OpenAiChat};
/// use toolkit::prelude::*;
///
/// /// Draws a chart.
/// #[tool]
/// fn draw(title: &str) -> Vec<Content> {
///     vec![Content::text(format!("{title}, by month")), Content::image(b"\x89PNG", "image/png")]
/// }
///
/// let view = Registry::builder().tools(tools![draw]).build()?.view(Caller::new("ann"));
/// let call = ToolCall::new("call_1", "draw", r#"{"title": "Sales"}"#);
/// let outcome = view.dispatch_blocking(&call, Options::default())?;
/// assert_eq!(outcome.text(), "Sales, by month\n[left out: image/png, 4 bytes]");
///
/// let answered = [Answered::new(call, outcome)];
/// assert_eq!(
///     Anthropic.results(&answered)[0]["content"][0]["content"],
///     json!([
///         {"type": "text", "text": "Sales, by month"},
///         {"type": "image",
///          "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}},
///     ]),
/// );
/// // No place for an image there.
/// assert_eq!(
///     OpenAiChat.results(&answered)[0]["content"],
///     "Sales, by month\n[left out: image/png, 4 bytes]",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Content {
    /// As the Model Context Protocol writes it, so that nothing of another server's is lost.
    block: Map<String, Value>,
}

/// What is left of a block for who asks how it can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape<'a> {
    Text(Cow<'a, str>),
    Media(Media<'a>),
}

/// Bytes of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Media<'a> {
    /// Without parameters.
    pub(crate) mime_type: &'a str,
    /// In base64.
    pub(crate) data: &'a str,
    /// What a file is called.
    pub(crate) name: Option<&'a str>,
}

impl Media<'_> {
    /// How many bytes there are.
    pub(crate) fn size(&self) -> usize {
        let padding = self.data.bytes().rev().take_while(|byte| *byte == b'=').count();
        (self.data.len() / 4 * 3).saturating_sub(padding)
    }

    /// In the place of what can not be shown.
    pub(crate) fn left_out(&self) -> String {
        format!("[left out: {}, {} bytes]", self.mime_type, self.size())
    }
}

impl Content {
    fn of(block: Value) -> Self {
        let block = if let Value::Object(block) = block { block } else { Map::new() };
        Self { block }
    }

    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::of(json!({"type": "text", "text": text.into()}))
    }

    /// An image of a type like `image/png`.
    pub fn image(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        let data = STANDARD.encode(bytes);
        Self::of(json!({"type": "image", "data": data, "mimeType": mime_type.into()}))
    }

    /// Audio of a type like `audio/wav`.
    pub fn audio(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        let data = STANDARD.encode(bytes);
        Self::of(json!({"type": "audio", "data": data, "mimeType": mime_type.into()}))
    }

    /// A file of a type like `application/pdf`, by its address.
    pub fn file(
        uri: impl Into<String>,
        bytes: impl AsRef<[u8]>,
        mime_type: impl Into<String>,
    ) -> Self {
        let (blob, mime_type) = (STANDARD.encode(bytes), mime_type.into());
        let resource = json!({"uri": uri.into(), "mimeType": mime_type, "blob": blob});
        Self::of(json!({"type": "resource", "resource": resource}))
    }

    /// A file that the model is not given, only told of.
    pub fn link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self::of(json!({"type": "resource_link", "uri": uri.into(), "name": name.into()}))
    }

    /// The kind of block, as the Model Context Protocol names it: `text`, `image`, `audio`,
    /// `resource` or `resource_link`.
    #[must_use]
    pub fn kind(&self) -> &str {
        said(&self.block, "type").unwrap_or_default()
    }

    /// The type of what it holds, like `image/png`; none of a text.
    #[must_use]
    pub fn mime_type(&self) -> Option<&str> {
        said(self.holder(), "mimeType")
    }

    /// What it holds, in base64, where that is no text.
    #[must_use]
    pub fn data(&self) -> Option<&str> {
        said(&self.block, "data").or_else(|| said(self.holder(), "blob"))
    }

    /// Whether a text says as much: a model misses nothing where it reads that.
    fn is_plain(&self) -> bool {
        self.kind() == "text" && self.block.len() == 2
    }

    /// What has its type and its address.
    fn holder(&self) -> &Map<String, Value> {
        self.block.get("resource").and_then(Value::as_object).unwrap_or(&self.block)
    }

    pub(crate) fn shape(&self) -> Shape<'_> {
        let holder = self.holder();
        let uri = said(holder, "uri");
        if let Some(data) = self.data() {
            let mime_type = self.mime_type().unwrap_or("application/octet-stream");
            let mime_type = mime_type.split(';').next().unwrap_or_default().trim();
            let last = |uri: &'_ str| uri.rsplit('/').next().is_some_and(|name| !name.is_empty());
            let name = uri.filter(|uri| last(uri)).and_then(|uri| uri.rsplit('/').next());
            return Shape::Media(Media { mime_type, data, name });
        }
        Shape::Text(match (said(holder, "text"), said(holder, "name"), uri) {
            (Some(text), _, _) => Cow::Borrowed(text),
            (None, Some(name), Some(uri)) => Cow::Owned(format!("{name}: {uri}")),
            (None, _, _) => Cow::Borrowed(uri.unwrap_or_default()),
        })
    }

    /// What a model reads that gets no media.
    pub(crate) fn words(&self) -> Cow<'_, str> {
        match self.shape() {
            Shape::Text(text) => text,
            Shape::Media(media) => Cow::Owned(media.left_out()),
        }
    }

    /// How much of a result it is, in bytes.
    pub(crate) fn weight(&self) -> usize {
        match self.shape() {
            Shape::Text(text) => text.len(),
            Shape::Media(media) => media.data.len(),
        }
    }

    /// What stands in its place in a value that it is a part of.
    fn mention(&self) -> Cow<'_, str> {
        match self.shape() {
            Shape::Text(text) => text,
            Shape::Media(media) => {
                Cow::Owned(format!("[{}, {} bytes]", media.mime_type, media.size()))
            }
        }
    }
}

/// What models read that get no media of some blocks.
pub(crate) fn words_of(blocks: &[Content]) -> String {
    blocks.iter().map(Content::words).collect::<Vec<_>>().join("\n")
}

/// The blocks of a value that was written as this JSON: what the value is made of, or, of one
/// that has some in it, the JSON before them; none where a text says it all.
pub(crate) fn blocks_of(json: &str, found: Vec<Content>) -> Blocks {
    let mentions = found.iter().map(|content| Value::from(content.mention()).to_string());
    let mentions = mentions.collect::<Vec<_>>().join(",");
    if json == mentions || json == format!("[{mentions}]") {
        return if let [only] = found.as_slice()
            && only.is_plain()
        {
            Blocks::Text(only.words().into_owned())
        } else {
            Blocks::Alone(found)
        };
    }
    // Its own text says what a block of text does.
    let others: Vec<Content> =
        found.into_iter().filter(|content| content.kind() != "text").collect();
    if others.is_empty() { Blocks::None } else { Blocks::Inside(others) }
}

/// What blocks are to the value that they were found in.
pub(crate) enum Blocks {
    /// It has none of them, or says them itself.
    None,
    /// It is one text.
    Text(String),
    /// It is made of them.
    Alone(Vec<Content>),
    /// It has them in it.
    Inside(Vec<Content>),
}

fn said<'a>(block: &'a Map<String, Value>, member: &str) -> Option<&'a str> {
    block.get(member).and_then(Value::as_str)
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

/// Shows what kind of block it is, and of what size.
impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Content")
            .field("kind", &self.kind())
            .field("mime_type", &self.mime_type())
            .field("bytes", &self.weight())
            .finish()
    }
}

thread_local! {
    /// The blocks of the results that are being serialised, and how deep each result stands.
    static BLOCKS: RefCell<Vec<(u32, Content)>> = const { RefCell::new(Vec::new()) };
}

/// Keeps a block for the end of its result.
fn keep(place: &Place, block: Content) {
    BLOCKS.with_borrow_mut(|blocks| {
        if place.is_first {
            // Of a result that panicked when it was serialised.
            blocks.retain(|(depth, _)| *depth < place.depth);
        }
        blocks.push((place.depth, block));
    });
}

/// Takes the blocks of the result that was serialised last at a depth.
#[cold]
pub(crate) fn taken(depth: u32) -> Vec<Content> {
    BLOCKS.with_borrow_mut(|blocks| {
        let start = blocks.partition_point(|(other, _)| *other < depth);
        // What stands deeper is of a result within this one that broke off.
        let all = blocks.drain(start..);
        all.filter(|(own, _)| *own == depth).map(|(_, block)| block).collect()
    })
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(place) = serialised::block() else { return self.block.serialize(serializer) };
        keep(&place, self.clone());
        serializer.serialize_str(&self.mention())
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let content = Self { block: Map::deserialize(deserializer)? };
        match content.fault() {
            None => Ok(content),
            Some(fault) => Err(D::Error::custom(fault)),
        }
    }
}

impl Content {
    /// What keeps it from being a block of the protocol.
    fn fault(&self) -> Option<String> {
        let kind = self.kind();
        let needed: &[&str] = match kind {
            "text" => &["text"],
            "image" | "audio" => &["data", "mimeType"],
            "resource_link" => &["uri", "name"],
            "resource" if self.block.get("resource").is_none_or(|held| !held.is_object()) => {
                return Some("a block of the type `resource` has no object `resource`".to_owned());
            }
            "resource" => &["uri"],
            other => return Some(format!("there is no block of the type {other:?}")),
        };
        let holder = self.holder();
        if let Some(missing) = needed.iter().find(|member| said(holder, member).is_none()) {
            return Some(format!("a block of the type `{kind}` has no text `{missing}`"));
        }
        if kind == "resource" && said(holder, "text").is_none() && self.data().is_none() {
            return Some("a resource has neither `text` nor `blob`".to_owned());
        }
        let is_readable = |data: &str| STANDARD.decode(data).is_ok();
        self.data()
            .is_some_and(|data| !is_readable(data))
            .then(|| format!("the data of a block of the type `{kind}` is not base64"))
    }
}

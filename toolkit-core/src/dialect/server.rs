//! Servers that imitate OpenAI's Chat Completions API, and what each does otherwise.

use serde_json::{Map, Value, json};

use super::choice::{Choice, Mode};
use super::form::{Form, Strictness};

/// A server that imitates OpenAI's Chat Completions API.
///
/// ```
/// use serde_json::json;
/// use toolkit::ToolCall;
/// use toolkit::dialect::{Dialect, OpenAiChat, Reply, Server};
///
/// let mistral = OpenAiChat.at(Server::Mistral);
/// let history = mistral.assistant(&Reply::calls([ToolCall::new("toolu_01AbC", "now", "{}")]));
/// // Mistral takes ids of nine letters and digits.
/// assert_eq!(history[0]["tool_calls"][0]["id"].as_str().map(str::len), Some(9));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Server {
    /// OpenAI itself.
    OpenAi,
    /// Mistral.
    Mistral,
    /// Cohere's API of version 2.
    Cohere,
    /// Ollama's own API, at `/api/chat`.
    Ollama,
    /// `DeepSeek`; strict at its beta address.
    DeepSeek,
    /// xAI.
    XAi,
}

impl Server {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai_chat",
            Self::Mistral => "mistral",
            Self::Cohere => "cohere",
            Self::Ollama => "ollama",
            Self::DeepSeek => "deepseek",
            Self::XAi => "xai",
        }
    }

    /// The schemas that it takes.
    pub(super) const fn form(self) -> Form {
        match self {
            Self::DeepSeek => Form::DEEPSEEK,
            Self::OpenAi | Self::Mistral | Self::Cohere | Self::Ollama | Self::XAi => Form::OPENAI,
        }
    }

    pub(super) const fn most_tools(self) -> Option<usize> {
        match self {
            Self::OpenAi => Some(128),
            Self::XAi => Some(200),
            Self::Mistral | Self::Cohere | Self::Ollama | Self::DeepSeek => None,
        }
    }

    /// Whether it can be told to take some of the tools only.
    pub(super) const fn takes_subsets(self) -> bool {
        matches!(self, Self::OpenAi)
    }

    /// Why it can not be told of a choice.
    pub(super) fn refuses(self, choice: &Choice) -> Option<String> {
        let plain = Choice { among: None, ..choice.clone() };
        let is_plain = plain == Choice::auto();
        (self == Self::Ollama && !is_plain)
            .then(|| "there is no way to say a choice of tools".to_owned())
    }

    /// The members of a request that say a choice.
    pub(super) fn choice(self, choice: &Choice) -> Map<String, Value> {
        let function = |name: &str| json!({"type": "function", "function": {"name": name}});
        let mode: Value = match (&choice.mode, self) {
            (Mode::Auto, _) => "auto".into(),
            (Mode::Any, Self::Mistral) => "any".into(),
            // It is shown the one tool only.
            (Mode::Any | Mode::Tool(_), Self::Cohere) => "REQUIRED".into(),
            (Mode::Any, _) => "required".into(),
            (Mode::None, Self::Cohere) => "NONE".into(),
            (Mode::None, _) => "none".into(),
            (Mode::Tool(name), _) => function(name),
        };
        let told = match (&choice.among, &choice.mode) {
            (Some(names), Mode::Auto | Mode::Any) if self.takes_subsets() => {
                let tools: Vec<Value> = names.iter().map(|name| function(name)).collect();
                json!({"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}})
            }
            _ => mode,
        };
        let mut members = Map::new();
        if told != "auto" {
            members.insert("tool_choice".to_owned(), told);
        }
        let parallel = match self {
            Self::OpenAi | Self::Mistral | Self::DeepSeek => Some("parallel_tool_calls"),
            Self::XAi => Some("parallel_function_calling"),
            Self::Cohere | Self::Ollama => None,
        };
        if let Some(parallel) = parallel.filter(|_| choice.one_at_a_time) {
            members.insert(parallel.to_owned(), false.into());
        }
        members
    }

    /// The tools that are shown for a choice, where that says more than the choice itself.
    pub(super) fn shows_only(self, choice: &Choice) -> Option<&str> {
        match (&choice.mode, self) {
            (Mode::Tool(name), Self::Cohere) => Some(name),
            _ => None,
        }
    }

    /// Writes how much the model may write, and what else its requests have.
    pub(super) fn write_limits(self, body: &mut Map<String, Value>, max_tokens: u32, form: Form) {
        match self {
            // `max_tokens` is deprecated there, and reasoning models refuse it.
            Self::OpenAi | Self::XAi => {
                body.insert("max_completion_tokens".to_owned(), max_tokens.into());
            }
            Self::Mistral | Self::DeepSeek => {
                body.insert("max_tokens".to_owned(), max_tokens.into());
            }
            Self::Cohere => {
                body.insert("max_tokens".to_owned(), max_tokens.into());
                if form.strictness() != Strictness::Plain {
                    body.insert("strict_tools".to_owned(), true.into());
                }
            }
            Self::Ollama => {
                body.insert("options".to_owned(), json!({"num_predict": max_tokens}));
                body.insert("stream".to_owned(), false.into());
            }
        }
    }

    /// Whether a function says that it is strict.
    pub(super) const fn marks_functions(self) -> bool {
        !matches!(self, Self::Cohere | Self::Ollama)
    }

    /// Whether each call of a reply has an id.
    pub(super) const fn has_ids(self) -> bool {
        !matches!(self, Self::Ollama)
    }

    /// The id of a call as it takes it; none where it has no ids.
    pub(super) fn wire_id(self, id: &str) -> Option<String> {
        match self {
            _ if !self.has_ids() => None,
            Self::Mistral if id.len() != 9 || !id.chars().all(|c| c.is_ascii_alphanumeric()) => {
                Some(nine(id))
            }
            _ => Some(id.to_owned()),
        }
    }
}

/// Nine letters and digits that are made of an id, the same every time.
fn nine(id: &str) -> String {
    const LETTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let digit = |_| {
        let digit = usize::try_from(hash % 36).unwrap_or_default();
        hash /= 36;
        LETTERS.get(digit).map_or('0', |letter| char::from(*letter))
    };
    (0..9).map(digit).collect()
}

//! What the definitions of a program's tools come to in each form, and what projecting costs.

use std::time::Instant;

use serde_json::{Value, json};
use toolkit::dialect::{
    Anthropic, Definition, Dialect, Form, Gemini, Mcp, OpenAiChat, OpenAiResponses, Projection,
};
use toolkit::prelude::*;
use toolkit_tests::tools::{annotated, usual};

/// The definitions of thirty tools in one dialect, in bytes.
pub(crate) struct Size {
    pub(crate) name: String,
    pub(crate) bytes: usize,
    /// Those of the full schemas, in the same dialect's members.
    pub(crate) full: usize,
}

const TOOLS: usize = 30;

fn view() -> View {
    let given = |index: usize| {
        let schema = json!({
            "properties": {
                "query": {"type": "string", "minLength": 1, "description": "What to look for."},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
            },
            "required": ["query"],
            "additionalProperties": false,
        });
        let letter = char::from(b'a' + u8::try_from(index % 26).unwrap_or_default());
        let run = |_: Value, _: CallContext| async { Ok::<_, ToolError>("done") };
        Tool::from(Tool::dynamic(format!("search_{letter}"), "Searches.", schema, run))
    };
    let tools: Vec<Tool> = usual().into_iter().chain(annotated()).collect();
    let more = (0..TOOLS.saturating_sub(tools.len())).map(given).collect::<Vec<_>>();
    let tools = tools.into_iter().chain(more).take(TOOLS);
    Registry::builder().tools(tools).build().expect("the registry is right").view(Caller::new("a"))
}

fn dialects() -> Vec<(&'static str, Box<dyn Dialect>)> {
    vec![
        ("anthropic", Box::new(Anthropic)),
        ("anthropic_strict", Box::new(Anthropic.strict_where_possible())),
        ("openai_chat", Box::new(OpenAiChat)),
        ("openai_chat_strict", Box::new(OpenAiChat.strict_where_possible())),
        ("openai_responses", Box::new(OpenAiResponses)),
        ("gemini", Box::new(Gemini)),
        ("mcp", Box::new(Mcp)),
    ]
}

pub(crate) fn sizes() -> Vec<Size> {
    let view = view();
    let sizes = dialects().into_iter().map(|(name, dialect)| {
        let (shown, _) = view.clone().showable_in(&*dialect);
        let definitions = shown.definitions(&*dialect).expect("the tools can be shown");
        let full = dialect.definitions(&shown.tools());
        Size {
            name: format!("dialects.{name}.bytes"),
            bytes: definitions.to_string().len(),
            full: full.to_string().len(),
        }
    });
    sizes.collect()
}

/// How long it takes to project a thousand tools.
pub(crate) struct Time {
    pub(crate) name: String,
    pub(crate) milliseconds: f64,
    /// To serialise the thousand full schemas.
    pub(crate) floor: f64,
}

const FORMS: [(&str, Form); 7] = [
    ("anthropic", Form::ANTHROPIC),
    ("anthropic_strict", Form::ANTHROPIC.strict()),
    ("openai", Form::OPENAI),
    ("openai_strict", Form::OPENAI.strict()),
    ("gemini", Form::GEMINI_JSON),
    ("gemini_parameters", Form::GEMINI_PARAMETERS),
    ("mcp", Form::PORTABLE),
];

pub(crate) fn time_names() -> Vec<String> {
    FORMS.iter().map(|(name, _)| format!("dialects.{name}.project_1000")).collect()
}

/// The least times of a few rounds, of the subjects that begin so.
pub(crate) fn times(subject: &str) -> Vec<Time> {
    let view = view();
    let thousand: Vec<&Definition> = view.tools().into_iter().cycle().take(1_000).collect();
    let least = |work: &dyn Fn() -> usize| {
        let round = |_| {
            let start = Instant::now();
            std::hint::black_box(work());
            start.elapsed().as_secs_f64() * 1e3
        };
        (0..5).map(round).fold(f64::MAX, f64::min)
    };
    let named = time_names().into_iter().zip(FORMS);
    let named = named.filter(|(name, _)| name.starts_with(subject));
    let time = |(name, (_, form)): (String, (&str, Form))| {
        let project =
            |one: &&Definition| Projection::of(one, form).map_or(1, |one| one.rewrites().len());
        Time {
            name,
            milliseconds: least(&|| thousand.iter().map(project).sum()),
            floor: least(&|| thousand.iter().map(|one| one.input_schema.to_string().len()).sum()),
        }
    };
    named.map(time).collect()
}

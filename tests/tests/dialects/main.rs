//! Every tool in every provider's form, and the way back.

mod agreement;
mod beside;
mod cases;
mod dispatched;
mod goldens;
mod media;
mod offers;
mod pieces;
mod projection;
mod rules;
mod sdks;
mod servers;
mod shown;
mod streams;
mod table;
mod transcript;
mod wires;

use toolkit::dialect::{Anthropic, Dialect, Gemini, Mcp, OpenAiChat, OpenAiResponses};

/// The forms that differ in what of a tool they can carry.
fn forms() -> [Box<dyn Dialect>; 8] {
    [
        Box::new(Anthropic),
        Box::new(Anthropic.strict()),
        Box::new(OpenAiChat),
        Box::new(OpenAiChat.strict()),
        Box::new(OpenAiResponses.strict()),
        Box::new(Gemini),
        Box::new(Gemini.with_parameters()),
        Box::new(Mcp),
    ]
}

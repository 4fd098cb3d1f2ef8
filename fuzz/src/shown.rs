//! What a person is shown prints as what it is, whatever bytes it is made of.

use toolkit::__private::ledger::Prompt;

use crate::in_time;

/// Shows a text as arguments, as their value, as a preview and as names.
pub fn shown(text: &str) {
    in_time(text.len(), || {
        let value = serde_json::json!({ "note": text, text: [text] }).to_string();
        for arguments in [text, &value] {
            let prompt = Prompt {
                tool: text,
                principal: text,
                tenant: Some(text),
                arguments,
                preview: Some(text),
            };
            for c in prompt.to_string().chars() {
                let is_mark = !c.is_ascii() && c.escape_debug().count() == 1;
                let hides =
                    matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}');
                assert!(matches!(c, ' '..='~' | '\n') || (is_mark && !hides), "{c:?} is shown");
            }
        }
    });
}

//! How often a model chooses the right tool.

use std::io::Write;
use std::sync::{Arc, Mutex};

use serde::Deserialize;
use serde_json::json;
use toolkit::eval::{Case, Eval, Suite, WordOverlap, chain_success};
use toolkit::prelude::*;
use toolkit::{ModelError, Reply, ScriptedModel};
use toolkit_tests::catalogue::{Entry, shop, view};

/// Three tools with vague and with precise descriptions, and six requests.
#[derive(Deserialize)]
struct Selection {
    vague: Vec<Entry>,
    precise: Vec<Entry>,
    requests: Vec<Case>,
}

#[test]
fn the_same_three_tools_get_two_of_six_right_by_vague_words_and_six_by_precise_ones() {
    let Selection { vague, precise, requests } =
        serde_json::from_str(include_str!("../../../examples/08_figures/selection.json")).unwrap();
    let eval = Eval::new(Suite::new(requests));
    let vague = eval.run_blocking(&WordOverlap, &view(&vague));
    let precise = eval.run_blocking(&WordOverlap, &view(&precise));
    assert_eq!((vague.right(), precise.right()), (2, 6), "{vague}\n{precise}");
    let comparison = vague.beside(&precise);
    assert_eq!((comparison.mended().len(), comparison.broken().len()), (4, 0));
    assert!(comparison.to_string().starts_with("2 of 6 before, 6 of 6 after\n  mended: \""));
}

#[test]
fn five_calls_in_a_row_at_97_percent_succeed_in_86_of_a_hundred() {
    let rounded = |p: f64| (p * 1000.0).round() / 1000.0;
    let chances: Vec<f64> = [0, 1, 5].map(|n| rounded(chain_success(0.97, n))).to_vec();
    assert_eq!(chances, [1.0, 0.97, 0.859]);
    assert_eq!(chain_success(1.0, 1_000).to_bits(), 1.0_f64.to_bits());
    assert_eq!(chain_success(0.0, 3).to_bits(), 0.0_f64.to_bits());
}

#[test]
fn an_evaluation_tells_accuracy_confusion_arguments_and_tokens() {
    let suite = Suite::from_jsonl(
        r#"{"request": "Refund O-1", "tool": "refund_payment", "arguments": {"order_id": "O-1", "amount": 5}}
           {"request": "Refund O-2", "tool": "refund_payment", "arguments": {"order_id": "O-2", "amount": 5}}
           {"request": "Where is P-1?", "tool": "track_parcel", "arguments": {"parcel_id": "P-1"}}

           {"request": "Hello", "tool": null}
           {"request": "Bye", "tool": null}"#,
    )
    .unwrap();
    let model = ScriptedModel::new([
        Reply::call("refund_payment", r#"{"amount": 5.0, "order_id": "O-1", "note": null}"#),
        Reply::call("refund_payment", r#"{"amount": 6, "order_id": "O-2"}"#),
        Reply::call("get_order", r#"{"order_id": "P-1"}"#),
        Reply::text("Hello."),
    ])
    .then_fail(ModelError::new("out of reach"));
    let evaluation = Eval::new(suite).run_blocking(&model, &view(&shop().tools));
    let report = evaluation.to_json();
    assert_eq!(report["requests"], 5);
    assert_eq!(report["right"], 3);
    assert_eq!(report["accuracy"], 0.6);
    assert_eq!(report["argument_accuracy"], 0.5);
    assert_eq!(
        report["tools"],
        json!({
            "get_order": {"wanted": 0, "chosen": 1, "right": 0, "precision": 0.0, "recall": null},
            "refund_payment": {"wanted": 2, "chosen": 2, "right": 2, "precision": 1.0, "recall": 1.0},
            "track_parcel": {"wanted": 1, "chosen": 0, "right": 0, "precision": null, "recall": 0.0},
        }),
    );
    assert_eq!(
        report["confusion"],
        json!([
            {"wanted": null, "chosen": null, "count": 1},
            {"wanted": "refund_payment", "chosen": "refund_payment", "count": 2},
            {"wanted": "track_parcel", "chosen": "get_order", "count": 1},
        ]),
    );
    let tokens = evaluation.tokens();
    assert!((5_000..15_000).contains(&tokens), "{tokens}");
    assert_eq!(
        evaluation.to_string(),
        format!(
            "3 of 5 requests found their tool (60.0 %); 50.0 % of the calls had right arguments; \
             about {tokens} tokens\n  \
             get_order: precision 0.0 %, recall -\n  \
             refund_payment: precision 100.0 %, recall 100.0 %\n  \
             track_parcel: precision -, recall 0.0 %\n  \
             track_parcel taken for get_order: 1\n  \
             no reply to \"Bye\": out of reach"
        ),
    );
}

#[test]
fn a_name_on_the_wire_counts_for_its_tool_and_a_made_up_one_for_none() {
    let view = view(&[Entry::new("ns.get", "Gets.")]);
    let suite = || Suite::new([Case::new("Get it.", "ns.get")]);
    for (name, right) in [("ns.get", 1), ("ns_get", 1), ("ns_gets", 0)] {
        let model = ScriptedModel::new([Reply::call(name, "{}")]);
        assert_eq!(Eval::new(suite()).run_blocking(&model, &view).right(), right, "{name}");
    }
}

#[test]
fn a_suite_says_which_line_is_no_case() {
    for (lines, why) in [
        ("{\"request\": \"a\", \"tool\": \"b\"}\n\n[]", "line 3 is no case: "),
        ("{\"request\": \"a\"}", "line 1 is no case: missing field `tool`"),
        (
            "{\"request\": \"a\", \"tool\": null, \"tol\": 1}",
            "line 1 is no case: unknown field `tol`",
        ),
    ] {
        let error = Suite::from_jsonl(lines).unwrap_err();
        assert!(error.message().starts_with(why), "{error}");
    }
}

/// Text that was drawn.
#[derive(Clone, Default)]
struct Drawn(Arc<Mutex<Vec<u8>>>);

impl Write for Drawn {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_bar_shows_how_far_it_is() {
    let drawn = Drawn::default();
    let suite = Suite::new([Case::without_tool("a"), Case::without_tool("b")]);
    let none = Registry::builder().build().unwrap().view(Caller::new("ada"));
    let _ = Eval::new(suite).bar(drawn.clone()).run_blocking(&WordOverlap, &none);
    let text = String::from_utf8(drawn.0.lock().unwrap().clone()).unwrap();
    let (empty, half, full) = (" ".repeat(30), "#".repeat(15), "#".repeat(30));
    assert_eq!(text, format!("\r[{empty}] 0/2\r[{half}{}] 1/2\r[{full}] 2/2\n", " ".repeat(15)));
}

//! Results that a model can go on with, and answers held against them.

use serde_json::{Value, json};
use toolkit::dialect::Ending;
use toolkit::prelude::*;
use toolkit::{Agent, Concise, Reply, Rows, ScriptedModel, Unverified, told_numbers};
use toolkit_tests::{Dice, call, cases, view_of};

#[test]
fn rows_are_cut_whole_counted_and_found_again() {
    let mut dice = Dice::fresh("rows");
    for _ in 0..cases(2_000) {
        let count = dice.below(30);
        let all: Vec<String> = (0..count).map(|_| "x".repeat(dice.below(20))).collect();
        let bytes = dice.below(80);
        let most = 1 + dice.below(10);
        let mut read = Vec::new();
        // As a model that asks for what is left until nothing is.
        loop {
            let rows = Rows::of(all.clone()).from(read.len()).at_most(most).within(bytes);
            let rows = rows.ask_with("offset");
            assert!(rows.rows().len() <= most);
            let written = serde_json::to_value(&rows).unwrap();
            let length = written["rows"].to_string().len() - 2;
            assert!(length <= bytes || rows.rows().len() == 1, "{length} of {bytes}");
            read.extend(rows.rows().iter().cloned());
            assert_eq!(rows.left(), all.len() - read.len());
            let more = (rows.left() > 0).then(|| {
                let is = if rows.left() == 1 { "row is" } else { "rows are" };
                format!("{} {is} left: call again with offset {}", rows.left(), read.len())
            });
            assert_eq!(written["more"].as_str(), more.as_deref());
            if rows.left() == 0 {
                break;
            }
        }
        assert_eq!(read, all);
    }
}

#[test]
fn no_rows_are_a_valid_result_and_no_failure() {
    /// Lists.
    #[tool]
    fn list(#[arg(default = 0)] offset: usize) -> Result<Rows<u8>, Failure> {
        if offset > 100 {
            return Err(ToolError::business("there is no such page").into());
        }
        Ok(Rows::of([1, 2]).from(offset))
    }
    let view = view_of(Tool::of::<list>());
    let empty = call(&view, "list", r#"{"offset": 2}"#);
    assert_eq!((empty.status(), empty.text()), (Status::Ok, r#"{"rows":[],"left":0}"#));
    let failed = call(&view, "list", r#"{"offset": 101}"#);
    assert_eq!(failed.status(), Status::Failed);
    assert_eq!(failed.structured()["category"], "business");
    assert_eq!(failed.structured()["retryable"], false);
}

#[test]
fn rows_of_a_source_that_gave_a_page_count_what_it_kept() {
    let rows = Rows::of(["a", "b"]).and_left(40);
    assert_eq!(
        serde_json::to_value(&rows).unwrap(),
        json!({"rows": ["a", "b"], "left": 40, "more": "40 rows are left: ask for fewer, more narrowly"}),
    );
}

/// An order.
#[arg_type]
struct Order {
    id: String,
    total: f64,
}

impl Concise for Order {
    type View = String;

    fn concise(self) -> String {
        self.id
    }
}

fn order(number: u32) -> Order {
    Order { id: format!("O-{number}"), total: 80.0 }
}

/// Gets one.
#[tool(formats)]
fn one(number: u32) -> Result<Order, ToolError> {
    if number == 0 { Err(ToolError::business("there is no order 0")) } else { Ok(order(number)) }
}

/// Gets some.
#[tool(formats)]
async fn some(#[arg(default = 2)] count: u32) -> Rows<Order> {
    Rows::of((1..=5).map(order)).at_most(count as usize)
}

/// Gets one if there is.
#[tool(formats)]
fn perhaps() -> Option<Order> {
    Some(order(1))
}

#[test]
fn the_model_chooses_how_much_a_result_tells() {
    let whole = |number: u32| json!({"id": format!("O-{number}"), "total": 80.0});
    for (tool, arguments, concise, detailed) in [
        (
            Tool::of::<one>(),
            json!({"number": 7}),
            json!("O-7"),
            json!({"id": "O-7", "total": 80.0}),
        ),
        (
            Tool::of::<some>(),
            json!({"count": 4}),
            json!({"rows": ["O-1", "O-2", "O-3", "O-4"], "left": 1, "more": "1 row is left: ask for fewer, more narrowly"}),
            json!({
                "rows": (1..=4).map(whole).collect::<Value>(),
                "left": 1,
                "more": "1 row is left: ask for fewer, more narrowly",
            }),
        ),
        (Tool::of::<perhaps>(), json!({}), json!("O-1"), json!({"id": "O-1", "total": 80.0})),
    ] {
        let name = tool.name().to_owned();
        let view = view_of(tool);
        let told = |format: Option<&str>| {
            let mut arguments = arguments.clone();
            if let Some(format) = format {
                arguments["format"] = format.into();
            }
            let outcome = call(&view, &name, &arguments.to_string());
            let text = outcome.text();
            serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
        };
        assert_eq!(told(None), concise);
        assert_eq!(told(Some("concise")), concise);
        assert_eq!(told(Some("detailed")), detailed);
        let outcome = call(&view, &name, r#"{"format": "short", "number": 1}"#);
        assert!(outcome.text().contains("$.format: must be one of \"concise\", \"detailed\""));
    }
}

#[test]
fn the_added_parameter_and_both_forms_of_the_result_are_in_the_definition() {
    let view = view_of(Tool::of::<one>());
    let [definition] = view.tools()[..] else { panic!("one tool") };
    let format = &definition.input_schema["properties"]["format"];
    assert_eq!(format["enum"], json!(["concise", "detailed"]));
    assert!(format["description"].as_str().unwrap().starts_with("How much to tell: concise"));
    assert_eq!(definition.input_schema["required"], json!(["number"]));
    let forms = definition.output_schema.as_ref().unwrap()["anyOf"].as_array().unwrap();
    assert_eq!(forms.len(), 2);
}

#[test]
fn a_failure_is_told_as_it_is_in_each_form() {
    let view = view_of(Tool::of::<one>());
    for arguments in [r#"{"number": 0}"#, r#"{"number": 0, "format": "detailed"}"#] {
        let outcome = call(&view, "one", arguments);
        assert_eq!((outcome.status(), outcome.text()), (Status::Failed, "there is no order 0"));
    }
}

/// Tells what an order cost.
#[tool]
fn price(order_id: &str) -> String {
    format!("{order_id}: 1,450.00 EUR, paid in 2 parts")
}

fn answered(answer: &str) -> toolkit::Run {
    let view = view_of(Tool::of::<price>());
    let asked = Reply::call("price", r#"{"order_id": "O-4471"}"#);
    let model = ScriptedModel::new([asked, Reply::text(answer)]);
    Agent::new(model, view).run_blocking("What did it cost?").unwrap()
}

#[test]
fn an_answer_that_the_results_do_not_bear_out_is_flagged() {
    for answer in
        ["It cost 1450 euros.", "1,450.00 EUR, in 2 parts.", "O-4471 cost it.", "I do not know."]
    {
        assert_eq!(answered(answer).verify(told_numbers), Ok(()), "{answer}");
    }
    let run = answered("It cost 1,540 euros.");
    let why = "the answer says 1,540, which no tool said".to_owned();
    assert_eq!(run.verify(told_numbers), Err(Unverified::Contradicted(why)));

    let refunded = |answer: &str, results: &[&toolkit::dialect::Answered]| {
        let is_refunded = results.iter().any(|result| result.call.name() == "refund");
        if answer.contains("refunded") && !is_refunded {
            return Err("nothing was refunded".to_owned());
        }
        Ok(())
    };
    assert_eq!(
        answered("I refunded it.").verify(refunded),
        Err(Unverified::Contradicted("nothing was refunded".to_owned())),
    );
    let cut_off = Reply::from_parts([], Ending::CutOff);
    let view = view_of(Tool::of::<price>());
    let run = Agent::new(ScriptedModel::new([cut_off]), view).run_blocking("?").unwrap();
    assert_eq!(run.verify(told_numbers), Err(Unverified::NoAnswer));
}

//! The page that people read of a registry, and the lock that shows what changed.

use serde_json::{Value, json};
use toolkit::ledger::MemoryLedger;
use toolkit::prelude::*;
use toolkit::{ChangeKind, Effect};

/// A way to pay.
#[arg_type]
enum Way {
    Card,
    Transfer,
}

/// Where goods go.
#[arg_type]
struct Address {
    /// The street, with the number.
    #[schemars(length(min = 3))]
    street: String,
    /// Where the doors are.
    doors: Vec<u8>,
}

/// Pays a customer. Use after the amount was
/// agreed. Do not use for refunds; use `refund`.
#[tool(
    title = "Payment",
    effect = "write",
    scopes("payments:write"),
    idempotency(amount, way),
    approval(amount > 500.0, quorum = 2, four_eyes, time_to_live = "2h"),
)]
fn pay(
    /// How much | in euros.
    #[arg(minimum = 0.01, maximum = 10_000)]
    amount: f64,
    way: Way,
    to: Address,
    /// Words for the bill.
    #[arg(default = "Thanks", max_length = 80)]
    words: String,
) -> String {
    let Address { street, doors } = to;
    let by = match way {
        Way::Card => "card",
        Way::Transfer => "transfer",
    };
    format!("{amount} by {by} to {street} {doors:?}: {words}")
}

/// Gives money back.
#[tool(effect = "irreversible", on_unknown = "rerun")]
fn refund() {}

#[test]
fn a_page_tells_people_everything_of_a_tool() {
    let ledger = MemoryLedger::new();
    let registry = Registry::builder().tools(tools![pay, refund]).ledger(ledger).build().unwrap();
    assert_eq!(
        registry.to_markdown(),
        "# Tools\n\n\
         | tool | effect | what it does |\n|---|---|---|\n\
         | [`pay`](#pay) | write | Pays a customer. |\n\
         | [`refund`](#refund) | irreversible | Gives money back. |\n\
         \n## pay\n\n**Payment**\n\nPays a customer.\n\n\
         - When: Use after the amount was agreed.\n\
         - When not: Do not use for refunds; use `refund`.\n\
         - Effect: write\n\
         - Scopes: `payments:write`\n\
         - Approval: calls for which its rule says so, by 2 persons, none of them the one whom the \
         agent acts for, within 120 min\n\
         - Two calls are one by: `amount`, `way`\n\
         - When it is not known what came of a call: a person says it\n\
         \n| parameter | type | must be given | constraints | what it is |\n|---|---|---|---|---|\n\
         | `amount` | number | yes | minimum `0.01`; maximum `10000` | How much \\| in euros. |\n\
         | `way` | text | yes | `Card`, `Transfer` | A way to pay. |\n\
         | `to` | object | yes |  | Where goods go. |\n\
         | `to.street` | text | yes | min length `3` | The street, with the number. |\n\
         | `to.doors` | list of integer | yes | each minimum `0`; maximum `255` | Where the doors are. |\n\
         | `words` | text | no | default `Thanks`; max length `80` | Words for the bill. |\n\
         \n## refund\n\nGives money back.\n\n\
         - Effect: irreversible\n\
         - Approval: every call, by a person\n\
         - When it is not known what came of a call: it runs again\n\
         \nNo parameters.\n",
    );
}

/// One tool of a schema, in a registry.
fn registry(description: &str, schema: Value) -> Registry {
    let run = |_: Value, _: CallContext| async { Ok::<_, Failure>(()) };
    Registry::builder().tool(Tool::dynamic("find", description, schema, run)).build().unwrap()
}

fn schema(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// What changes between two schemas.
#[track_caller]
fn assert_changes(old: Value, new: Value, expected: &[&str]) {
    let (old, new) = (registry("Finds.", old), registry("Finds.", new));
    let changes = new.diff(&old.to_lock()).unwrap();
    let told: Vec<String> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(told, expected);
}

#[test]
fn each_change_of_a_schema_is_breaking_compatible_or_wording() {
    let of = |property: Value| schema(json!({"q": property}), &["q"]);
    for (old, new, expected) in [
        (json!({"type": "string"}), json!({"type": "string"}), &[][..]),
        (
            json!({"type": "string", "description": "A."}),
            json!({"type": "string", "description": "B."}),
            &["wording `find`: words of its schema changed"],
        ),
        (
            json!({"type": "integer"}),
            json!({"type": "number"}),
            &["compatible `find`: $.q: its `type` was \"integer\" and is \"number\""],
        ),
        (
            json!({"type": "number"}),
            json!({"type": "integer"}),
            &["breaking `find`: $.q: its `type` was \"number\" and is \"integer\""],
        ),
        (
            json!({"enum": ["a", "b"]}),
            json!({"enum": ["a", "b", "c"]}),
            &[
                "compatible `find`: $.q: its `enum` was [\\\"a\\\",\\\"b\\\"] and is [\\\"a\\\",\\\"b\\\",\\\"c\\\"]",
            ],
        ),
        (
            json!({"enum": ["a", "b"]}),
            json!({"enum": ["a"]}),
            &["breaking `find`: $.q: its `enum` was [\\\"a\\\",\\\"b\\\"] and is [\\\"a\\\"]"],
        ),
        (
            json!({"type": "integer", "minimum": 2}),
            json!({"type": "integer", "minimum": 1}),
            &["compatible `find`: $.q: its `minimum` was 2 and is 1"],
        ),
        (
            json!({"type": "integer"}),
            json!({"type": "integer", "maximum": 9}),
            &["breaking `find`: $.q: its `maximum` was none and is 9"],
        ),
        (
            json!({"type": "string", "pattern": "^a"}),
            json!({"type": "string"}),
            &["compatible `find`: $.q: its `pattern` was \"^a\" and is none"],
        ),
        (
            json!({"type": "string", "pattern": "^a"}),
            json!({"type": "string", "pattern": "^b"}),
            &["breaking `find`: $.q: its `pattern` was \"^a\" and is \"^b\""],
        ),
        (
            json!({"type": "array", "items": {"type": "string", "maxLength": 3}}),
            json!({"type": "array", "items": {"type": "string", "maxLength": 2}}),
            &["breaking `find`: $.q[0]: its `maxLength` was 3 and is 2"],
        ),
    ] {
        assert_changes(of(old), of(new), expected);
    }
    let text = || json!({"type": "string"});
    assert_changes(
        schema(json!({"a": text(), "b": text(), "c": text()}), &["a"]),
        schema(json!({"a": text(), "b": text(), "d": text(), "e": text()}), &["b", "e"]),
        &[
            "compatible `find`: $.d: it is new and may be left out",
            "breaking `find`: $.e: it is new and must be given",
            "breaking `find`: $.c: it is gone",
            "breaking `find`: $.b: it must be given",
            "compatible `find`: $.a: it may be left out",
        ],
    );
    assert_changes(
        schema(json!({"n": {"type": "integer", "default": 5}}), &[]),
        schema(json!({"n": {"type": "integer", "default": 6}}), &[]),
        &["breaking `find`: $.n: its `default` was 5 and is 6"],
    );
}

#[test]
fn words_alone_are_wording_and_a_property_called_title_is_none() {
    let old = registry("Finds.", schema(json!({"title": {"type": "string"}}), &[]));
    let new = registry("Finds all.", schema(json!({"title": {"type": "string"}}), &[]));
    let changes = new.diff(&old.to_lock()).unwrap();
    assert_eq!(changes.to_string(), "wording `find`: its description changed");
    assert_eq!(changes.gravest(), Some(ChangeKind::Wording));
    assert_changes(
        schema(json!({"title": {"type": "string"}}), &[]),
        schema(json!({}), &[]),
        &["breaking `find`: $.title: it is gone"],
    );
}

#[test]
fn what_the_gates_go_by_is_locked_too() {
    let tool = |name: &str| {
        Tool::dynamic(name, "Does it.", json!({}), |_, _| async { Ok::<_, Failure>(()) })
    };
    let build = |tools: Vec<Tool>| {
        let ledger = MemoryLedger::new();
        Registry::builder().tools(tools).ledger(ledger).build().unwrap()
    };
    let old = build(vec![
        tool("a").effect(Effect::Read).scopes(["x", "y"]).into(),
        tool("b").effect(Effect::Write).into(),
        tool("gone").effect(Effect::Read).into(),
    ]);
    let new = build(vec![
        tool("new").effect(Effect::Read).into(),
        tool("b").effect(Effect::Irreversible).into(),
        tool("a").effect(Effect::Read).scopes(["y", "z"]).into(),
    ]);
    let changes = new.diff(&old.to_lock()).unwrap();
    assert_eq!(
        changes.to_string(),
        "breaking `a`: it needs the scope `z`\n\
         compatible `a`: it does not need the scope `x` any more\n\
         breaking `b`: a person may be asked\n\
         breaking `b`: its `effect` was \"write\" and is \"irreversible\"\n\
         breaking `gone`: it is gone\n\
         compatible `new`: it is new",
    );
}

/// What was told.
#[arg_type]
struct Told {
    id: String,
}

/// What is told.
#[arg_type]
struct ToldMore {
    id: String,
    more: Option<u8>,
}

#[test]
fn a_result_may_tell_more_and_not_less() {
    let few = {
        /// Looks.
        #[tool]
        fn look() -> Told {
            Told { id: String::new() }
        }
        Registry::builder().tools(tools![look]).build().unwrap()
    };
    /// Looks.
    #[tool]
    fn look() -> ToldMore {
        ToldMore { id: String::new(), more: None }
    }
    let more = Registry::builder().tools(tools![look]).build().unwrap();
    assert_eq!(more.diff(&few.to_lock()).unwrap().gravest(), Some(ChangeKind::Compatible));
    assert_eq!(
        few.diff(&more.to_lock()).unwrap().to_string(),
        "breaking `look`: its result has another form",
    );
}

#[test]
fn a_lock_does_not_depend_on_the_order_of_tools_and_a_wrong_one_is_refused() {
    let tool = |name: &str| {
        Tool::from(Tool::dynamic(name, "It.", json!({}), |_, _| async { Ok::<_, Failure>(()) }))
    };
    let build = |names: [&str; 2]| Registry::builder().tools(names.map(tool)).build().unwrap();
    assert_eq!(build(["a", "b"]).to_lock(), build(["b", "a"]).to_lock());
    for (lock, why) in [
        ("{", "the lock can not be read: EOF while parsing"),
        ("{}", "the lock can not be read: its version is not 1"),
        (r#"{"version": 2, "tools": {}}"#, "the lock can not be read: its version is not 1"),
        (r#"{"version": 1}"#, "the lock can not be read: it has no `tools`"),
    ] {
        let error = build(["a", "b"]).diff(lock).unwrap_err();
        assert!(error.message().starts_with(why), "{error}");
    }
}

#[test]
#[should_panic(expected = "breaking `a`: it is gone")]
fn the_one_line_test_fails_with_what_changed() {
    let folder = std::env::temp_dir().join(format!("toolkit-lock-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("tools.lock");
    let tool = Tool::dynamic("a", "It.", json!({}), |_, _| async { Ok::<_, Failure>(()) });
    let lock = Registry::builder().tool(tool).build().unwrap().to_lock();
    std::fs::write(&file, lock).unwrap();
    toolkit::__private::locked(&Registry::builder().build().unwrap(), file.to_str().unwrap());
}

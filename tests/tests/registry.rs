//! Building a registry finds every mistake at once.

use std::sync::Arc;

use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit::{DynamicTool, Effect, Registry, ToolConfigErrors};

fn dynamic(name: &str, description: &str, schema: Value) -> DynamicTool {
    Tool::dynamic(name, description, schema, |_: Value, _: CallContext| async {
        Ok::<_, Failure>("done")
    })
}

fn object() -> Value {
    json!({"type": "object"})
}

fn faults(tools: impl IntoIterator<Item = Tool>) -> Vec<String> {
    let errors: ToolConfigErrors = Registry::builder().tools(tools).build().unwrap_err();
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn every_mistake_of_every_tool_is_reported_together() {
    let tools: Vec<Tool> = vec![
        dynamic("", " \n", object()).effect(Effect::Read).into(),
        dynamic("pay me", "Pays.", json!({"type": "array"})).effect(Effect::Irreversible).into(),
        dynamic("quiet", "Is quiet.", object()).into(),
        dynamic("find", "Finds.", json!({"type": "object", "properties": {
            "a": {"pattern": "(?=a)"}, "b": {"$ref": "#/$defs/nowhere"}, "c": {"minLenght": 3},
            "d": {"type": "integre"}, "e": {"minimum": "1"}, "f": {"multipleOf": 0}, "g": {"minLength": -1}
        }})).effect(Effect::Read).into(),
    ];
    assert_eq!(
        faults(tools),
        [
            "tool ``: its name does not match ^[A-Za-z0-9_.-]{1,128}$",
            "tool ``: its description is blank; it is the only thing the model chooses by",
            "tool `pay me`: its name does not match ^[A-Za-z0-9_.-]{1,128}$",
            "tool `pay me`: it changes something and there is no ledger, so that a repeated call would run twice; add `.ledger(…)`, or say `ledger = none(\"…\")` and why that is right",
            "tool `pay me`: it needs a person's approval and there is nobody to ask; add `.ledger(…)`, where its calls wait, or `.approver(…)`",
            "tool `pay me`: its schema is not of an object; `\"type\": \"object\"` must stand at the root",
            "tool `quiet`: it does not say its effect, and other tools do; add `effect = \"read\"`, `\"write\"` or `\"irreversible\"`",
            "tool `find`: the schema at #/properties/a can not be compiled: pattern \"(?=a)\" can not be used: look-around, including look-ahead and look-behind, is not supported; patterns run in linear time, without look-around and back-references",
            "tool `find`: the schema at #/properties/b refers to \"#/$defs/nowhere\", which is not in it",
            "tool `find`: the schema at #/properties/c uses the keyword `minLenght`, which JSON Schema does not have; write `minLength`",
            "tool `find`: the schema at #/properties/d names the type \"integre\", which JSON Schema does not have",
            "tool `find`: the schema at #/properties/e has a `minimum` that is no number",
            "tool `find`: the schema at #/properties/f has a `multipleOf` that is not greater than 0",
            "tool `find`: the schema at #/properties/g has a `minLength` that is no whole number from 0",
        ]
    );
}

mod a {
    use toolkit::prelude::*;

    /// Sends.
    #[tool]
    pub fn send() {}
}

mod b {
    use toolkit::prelude::*;

    /// Sends, too.
    #[tool]
    pub fn send() {}
}

#[test]
fn a_name_that_is_taken_names_both_places() {
    let faults = faults(tools![a::send, b::send]);
    assert_eq!(faults.len(), 1);
    let fault = &faults[0];
    assert!(
        fault.starts_with("tool `send`: its name is taken already, by registry::a at "),
        "{fault}"
    );
    assert!(fault.contains("tests/registry.rs:") && fault.contains("(registry::b at "), "{fault}");
}

#[test]
fn names_that_look_alike_are_refused() {
    for (one, two) in [
        ("read-file", "read_file"),
        ("foo.bar", "foo_bar"),
        ("getItem", "getitem"),
        ("item1", "iteml"),
        ("b0x", "box"),
    ] {
        let faults =
            faults([dynamic(one, "One.", object()).into(), dynamic(two, "Two.", object()).into()]);
        assert_eq!(
            faults,
            [format!(
                "tool `{two}`: its name looks like `{one}` (made at run time), and a model mixes them up; rename one"
            )]
        );
    }
}

#[test]
fn a_missing_state_names_tool_and_type() {
    struct Bank;
    struct Clock;

    /// Refunds.
    #[tool]
    fn refund(#[state] bank: &Bank, #[state] clock: Arc<Clock>) {
        let (Bank, Clock) = (bank, &*clock);
    }
    let faults = faults(tools![refund]);
    assert_eq!(faults.len(), 2);
    assert!(faults[0].starts_with("tool `refund`: it takes a state of type `registry::a_missing_state_names_tool_and_type::Bank` and there is none; add `.state(…)` with one, or with an `Arc` of one"), "{}", faults[0]);
    let given =
        Registry::builder().tools(tools![refund]).state(Bank).state(Arc::new(Clock)).build();
    assert!(given.is_ok());
    let both =
        Registry::builder().tools(tools![refund]).state(Bank).state(Arc::new(Bank)).state(Clock);
    let both = both.build().unwrap_err().to_string();
    assert!(
        both.contains("and there are two, one as it is and one in an `Arc`; keep one"),
        "{both}"
    );
    let twice = Registry::builder().state(Bank).state(Bank).build().unwrap_err();
    assert!(twice.to_string().contains("two states of type"), "{twice}");
}

#[test]
fn a_state_may_be_a_trait_object() {
    trait Mailer: Send + Sync {
        fn send(&self) -> &'static str;
    }
    struct Post;
    impl Mailer for Post {
        fn send(&self) -> &'static str {
            "posted"
        }
    }

    /// Sends.
    #[tool]
    fn send(#[state] mailer: &dyn Mailer, #[state] shared: Arc<dyn Mailer>) -> String {
        format!("{} {}", mailer.send(), shared.send())
    }
    let mailer: Arc<dyn Mailer> = Arc::new(Post);
    let registry = Registry::builder().tools(tools![send]).state(mailer).build().unwrap();
    assert_eq!(
        toolkit_tests::call(&registry.view(Caller::new("a")), "send", "{}").text(),
        "posted posted"
    );
}

#[test]
fn an_effect_that_is_nowhere_declared_is_a_read_and_one_alone_is_a_mistake() {
    /// Reads.
    #[tool]
    fn quiet() {}
    /// Writes.
    #[tool(effect = "write", ledger = none("a test calls it again and again"))]
    fn loud() {}
    let view = Registry::builder().tools(tools![quiet]).build().unwrap().view(Caller::new("a"));
    assert_eq!(view.effect_of("quiet"), Some(Effect::Read));
    assert_eq!(view.effect_of("loud"), None);
    let faults = faults(tools![quiet, loud]);
    assert_eq!(faults.len(), 1);
    assert!(faults[0].starts_with("tool `quiet`: it does not say its effect"), "{}", faults[0]);
}

#[test]
fn defaults_and_examples_must_be_what_the_parameter_accepts() {
    /// Lists.
    #[tool]
    fn list(
        #[arg(default = 0, minimum = 1)] page: u8,
        #[arg(examples = ["O-1", "x"], pattern = r"^O-\d+$")] order: String,
    ) -> String {
        format!("{page} {order}")
    }
    let faults = faults(tools![list]);
    assert_eq!(faults.len(), 2);
    assert!(faults[0].starts_with("tool `list`: its default is not accepted: $.page: expected an integer from 1 to 255, got 0"), "{}", faults[0]);
    assert!(
        faults[1]
            .starts_with("tool `list`: its example is not accepted: $.order: \"x\" does not match"),
        "{}",
        faults[1]
    );
}

#[test]
fn a_pattern_in_a_constant_is_checked_when_the_registry_is_built() {
    const PATTERN: &str = "(";
    /// Lists.
    #[tool]
    fn list(#[arg(pattern = PATTERN)] order: String) -> String {
        order
    }
    assert!(faults(tools![list])[0].contains("pattern \"(\" can not be used"));
}

#[test]
fn a_schema_that_asks_itself_is_refused_and_one_that_recurses_is_not() {
    let looping = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"anyOf": [{"$ref": "#/$defs/x"}]}}});
    assert_eq!(
        faults([dynamic("loops", "Loops.", looping).into()]),
        ["tool `loops`: the schema refers to itself without going into the value"]
    );
    let recursive = json!({"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}, "additionalProperties": false});
    let view = toolkit_tests::view_of(dynamic("tree", "Trees.", recursive));
    assert_eq!(toolkit_tests::call(&view, "tree", r#"{"kids":[{"kids":[]}]}"#).text(), "done");
    assert_eq!(
        toolkit_tests::call(&view, "tree", r#"{"kids":[{"kid":[]}]}"#).text(),
        "$.kids[0]: unexpected field 'kid' (did you mean 'kids'? allowed: kids)"
    );
}

#[test]
fn the_errors_print_as_a_list_also_where_main_returns_them() {
    let errors = Registry::builder().tool(dynamic("x", "", object())).build().unwrap_err();
    let expected = "the registry has 1 mistake:\n  tool `x`: its description is blank; it is the only thing the model chooses by";
    assert_eq!(errors.to_string(), expected);
    assert_eq!(format!("{errors:?}"), expected);
}

#[test]
fn names_of_dynamic_tools_have_a_least_and_a_greatest_length() {
    let built =
        |name: &str| Registry::builder().tool(dynamic(name, "Does.", object())).build().is_ok();
    let accepted = [("a", true), (&"a".repeat(128), true), ("A.b-c_9", true)];
    let refused = [("", false), (&"a".repeat(129), false), ("a b", false), ("é", false)];
    for (name, right) in accepted.into_iter().chain(refused) {
        assert_eq!(built(name), right, "{name:?}");
    }
}

#[test]
fn a_schema_may_have_256_kib_and_no_byte_more() {
    let built = |bytes: usize| {
        let empty = json!({"type": "object", "properties": {}, "description": ""}).to_string();
        let filled = "x".repeat(bytes - empty.len());
        let schema = json!({"type": "object", "properties": {}, "description": filled});
        assert_eq!(schema.to_string().len(), bytes);
        Registry::builder().tool(dynamic("large", "Is large.", schema)).build()
    };
    assert!(built(256 * 1024).is_ok());
    assert_eq!(
        built(256 * 1024 + 1).unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["tool `large`: its schema has 262145 bytes; at most 262144 are accepted"]
    );
}

#[test]
fn debug_names_the_tools_and_nothing_of_what_they_hold() {
    let registry =
        Registry::builder().tool(dynamic("pay", "Pays.", object())).state("hunter2".to_owned());
    assert_eq!(
        format!("{registry:?}"),
        "RegistryBuilder { tools: [Tool { name: \"pay\", .. }], .. }"
    );
    let registry = registry.build().unwrap();
    assert_eq!(format!("{registry:?}"), "[\"pay\"]");
    let view = format!("{:?}", registry.view(Caller::new("ada")));
    assert!(view.contains("visible: [\"pay\"]") && view.contains("principal: \"ada\""), "{view}");
}

#[test]
fn a_constant_that_is_no_json_is_a_mistake_and_not_an_absence() {
    /// Lists.
    #[tool]
    fn list(
        #[arg(default = f64::INFINITY)] limit: f64,
        #[arg(default = Value::Null)] name: String,
        #[arg(maximum = 100_000_000_000_000_000_000)] page: u64,
    ) -> String {
        format!("{limit} {name} {page}")
    }
    let faults = faults(tools![list]);
    let told = |keyword: &str, name: &str| {
        format!(
            "tool `list`: the `{keyword}` of `{name}` can not be written as JSON, or is null; leave it out, or write a value of the parameter's type"
        )
    };
    assert_eq!(faults.len(), 3);
    for (fault, expected) in faults.iter().zip([
        told("default", "limit"),
        told("default", "name"),
        told("maximum", "page"),
    ]) {
        assert!(fault.starts_with(&expected), "{fault}");
    }
}

#[test]
fn a_depth_that_no_stack_holds_is_refused() {
    let limits = toolkit::Limits { depth: 129, ..toolkit::Limits::default() };
    let errors = Registry::builder().limits(limits).build().unwrap_err();
    assert_eq!(
        errors.to_string(),
        "the registry has 1 mistake:\n  `Limits::depth` is 129; at most 128 is safe"
    );
    let deepest = toolkit::Limits { depth: 128, ..toolkit::Limits::default() };
    let nested = json!({"type": "object", "properties": {"a": {"$ref": "#"}}});
    let registry =
        Registry::builder().tool(dynamic("nest", "Nests.", nested)).limits(deepest).build();
    let arguments = format!("{}{{}}{}", "{\"a\":".repeat(127), "}".repeat(127));
    let view = registry.unwrap().view(Caller::new("a"));
    assert_eq!(toolkit_tests::call(&view, "nest", &arguments).text(), "done");
    let deeper = format!("{{\"a\":{arguments}}}");
    assert!(
        toolkit_tests::call(&view, "nest", &deeper)
            .text()
            .ends_with("nested more than 128 levels deep")
    );
}

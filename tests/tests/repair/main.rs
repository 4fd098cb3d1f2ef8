//! One retry is enough: a call is mended from its report alone.

mod by_problems;
mod by_words;

use std::collections::BTreeMap;

use by_words::Grammar;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use toolkit::prelude::*;
use toolkit::testing::{Mistake, Trial};
use toolkit_tests::schemas::object;
use toolkit_tests::tools::{annotated, usual};
use toolkit_tests::{Dice, cases, echo};

/// The words of a report; the file stands beside the code that writes them.
const GRAMMAR: &str = include_str!("../../../toolkit-core/src/arguments/report.grammar");

const MISTAKES: [Mistake; 8] = [
    Mistake::Misspelt,
    Mistake::Missing,
    Mistake::Extra,
    Mistake::WrongCase,
    Mistake::AsText,
    Mistake::OutOfRange,
    Mistake::WrongFormat,
    Mistake::Null,
];

#[test]
fn a_broken_call_is_mended_in_one_step() {
    let mut dice = Dice::fresh("repair");
    let trials = trials(&mut dice);
    let grammar = Grammar::of(GRAMMAR);
    let mut counts = Counts::default();
    for trial in &trials {
        mend(trial, &grammar, cases(4_000).div_ceil(trials.len()), dice.next(), &mut counts);
    }
    println!("{counts}");
    // A schema of dice may ask for what one report has no room to say; that is printed.
    let least = counts.broken - counts.broken / 500 - 10;
    assert!(counts.by_problems >= least && counts.by_words >= least, "{counts}");
    assert!(counts.broken > cases(4_000) / 2, "{counts}");
}

/// The same calls every time, so that no line of the grammar is kept that nothing says.
#[test]
fn the_grammar_holds_what_reports_say_and_nothing_else() {
    let mut dice = Dice::of(7);
    let trials = trials(&mut dice);
    let grammar = Grammar::of(GRAMMAR);
    let mut counts = Counts::default();
    for trial in &trials {
        mend(trial, &grammar, 200, dice.next(), &mut counts);
    }
    // What no mistake of these makes.
    let two = json!({"properties": {"a": {"oneOf": [{"type": "number"}, {"type": "integer"}]}}});
    let not = json!({"properties": {"a": {"not": {"type": "string"}}}});
    let unlike = json!({"properties": {"a": {
        "type": "array", "items": {"type": "integer"}, "uniqueItems": true, "minItems": 2,
    }}});
    let regex = json!({"properties": {"a": {"type": "string", "format": "regex"}}});
    let enums = annotated().into_iter().find(|tool| tool.name() == "enums");
    for (tool, arguments) in [
        (enums.expect("it is there"), json!({"a": "EUR", "b": {"EUR": null}})),
        (echo(two), json!({"a": 5})),
        (echo(not), json!({"a": "5"})),
        (echo(unlike.clone()), json!({"a": [1, 1]})),
        (echo(unlike), json!({"a": ["1", "1"]})),
        (echo(regex), json!({"a": "("})),
        (echo(json!({"required": ["a"]})), json!({})),
    ] {
        let trial = Trial::of(tool).unwrap();
        let outcome = trial.case(&arguments.to_string()).gate.unwrap_err();
        let mended = grammar.repaired(&arguments, outcome.text()).unwrap();
        assert!(trial.case(&mended.to_string()).judge, "{}\n{mended}", outcome.text());
    }
    say_what_no_mistake_makes(&grammar);
    let mut unused = grammar.unused();
    if cfg!(not(feature = "jsonschema")) {
        unused.retain(|line| !line.starts_with("whole: "));
    }
    assert_eq!(unused, [""; 0], "no report says this");
}

#[test]
fn what_no_word_can_repair_is_left_as_it_was_meant() {
    say_what_no_mistake_makes(&Grammar::of(GRAMMAR));
}

/// A number that is never taken.
#[derive(Debug)]
#[arg_type]
#[serde(try_from = "u8")]
#[schemars(with = "u8")]
struct Never;

impl TryFrom<u8> for Never {
    type Error = &'static str;

    fn try_from(_: u8) -> Result<Self, &'static str> {
        Err("never")
    }
}

/// Takes nothing.
#[tool]
fn take(a: Never) {
    panic!("taken: {a:?}")
}

/// Every text rule, each limit, and what only the validator of a whole schema has to say.
fn say_what_no_mistake_makes(grammar: &Grammar) {
    let any = || echo(json!({}));
    let integer = json!({"type": "integer"});
    let never = echo(json!({"properties": {"a": {"allOf": [integer], "not": integer}}}));
    let twice =
        echo(json!({"properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "integer"}]}}}));
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(40), "]".repeat(40));
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(70_000));
    let many = format!("{{\"a\":[{}0]}}", "0,".repeat(20_000));
    let mut said = vec![
        (any(), r#"{"a":1,"a":1}"#),
        (any(), r#"{"a":1"#),
        (any(), r#"{"a":1,}"#),
        (any(), r#"{"a":1} Done."#),
        (any(), r#"{"a":"\ud800"}"#),
        (any(), r#"{"\ud800":1}"#),
        (any(), r#"[{"a":1}]"#),
        (any(), &deep),
        (any(), &long),
        (any(), &many),
        (Tool::of::<take>(), r#"{"a":1}"#),
        (never, r#"{"a":1}"#),
        (twice, r#"{"a":1}"#),
    ];
    if cfg!(feature = "jsonschema") {
        let list = |of: &str| json!({"type": "array", "contains": {"type": of}});
        let shared = json!({"null": {"$dynamicAnchor": "null", "type": "null"}});
        let of = |schema: Value| echo(json!({"$defs": shared, "properties": {"a": schema}}));
        let closed = |schema: Value| of(json!({"allOf": [schema], "unevaluatedItems": false}));
        let pair = json!({"prefixItems": [true]});
        let names = json!({"propertyNames": {"if": true, "then": {"$dynamicRef": "#null"}}});
        let anchor = |name: &str| json!({"$dynamicAnchor": name, "type": name});
        let dynamic = json!({
            "$defs": {"null": anchor("null"), "string": anchor("string")},
            "properties": {"a": {"anyOf": [{"$dynamicRef": "#null"}, {"$dynamicRef": "#string"}]}},
        });
        said.extend([
            (of(list("string")), r#"{"a":[1]}"#),
            (closed(pair.clone()), r#"{"a":[1,2]}"#),
            (closed(pair), r#"{"a":[1,2,3]}"#),
            (of(json!({"oneOf": [list("string"), list("number")]})), r#"{"a":[1,"x"]}"#),
            (echo(dynamic), r#"{"a":7}"#),
            (of(json!({"not": list("string")})), r#"{"a":["x"]}"#),
            (of(names), r#"{"a":{"x":1}}"#),
        ]);
    }
    let meant = json!({"a": 1});
    for (tool, text) in said {
        let outcome = Trial::of(tool).unwrap().case(text).gate.unwrap_err();
        println!("{text:.60}\n    {:.160}", outcome.text());
        let left = grammar.repaired(&meant, outcome.text());
        assert_eq!(left, Ok(meant.clone()), "{text}\n{}", outcome.text());
    }
    let view = toolkit_tests::view_of(any());
    let cut = ToolCall::new("call_1", "echo", r#"{"a":1"#).cut_off();
    let outcome = view.dispatch_blocking(cut, Options::default()).unwrap();
    assert_eq!(grammar.repaired(&meant, outcome.text()), Ok(meant));
}

/// Tools of programs, of every kind of type, and of schemas at random.
fn trials(dice: &mut Dice) -> Vec<Trial> {
    let tools = usual().into_iter().chain(annotated());
    let mut trials: Vec<Trial> = tools.map(|tool| Trial::of(tool).unwrap()).collect();
    while trials.len() < 48 {
        let trial = Trial::of(echo(object(dice, 3))).unwrap();
        if can_be_right(&trial, dice.next()) {
            trials.push(trial);
        }
    }
    trials
}

/// Whether arguments without a mistake are accepted; dice make schemas that nothing satisfies.
fn can_be_right(trial: &Trial, seed: u64) -> bool {
    let right = trial.arguments().mistakes(0..=0, []);
    let mut runner = runner(seed);
    let mut is_accepted = || {
        let arguments = right.new_tree(&mut runner).unwrap().current();
        trial.case(&arguments.to_string()).judge
    };
    (0..64).filter(|_| is_accepted()).count() > 60
}

/// How many calls were broken and how many of them each repairer mended.
#[derive(Debug, Default)]
struct Counts {
    broken: usize,
    by_problems: usize,
    by_words: usize,
    /// What is not mended, by the problems that are left.
    kinds: BTreeMap<String, usize>,
    left: Vec<String>,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { broken, by_problems, by_words, .. } = self;
        write!(
            f,
            "of {broken} broken calls {by_problems} were mended by problems, {by_words} by words"
        )?;
        self.kinds.iter().try_for_each(|(kind, count)| write!(f, "\n{count:6} {kind}"))?;
        self.left.iter().try_for_each(|left| write!(f, "\n\n{left}"))
    }
}

fn mend(trial: &Trial, grammar: &Grammar, count: usize, seed: u64, counts: &mut Counts) {
    let broken = trial.arguments().mistakes(1..=5, MISTAKES);
    let mut runner = runner(seed);
    for _ in 0..count {
        let arguments = broken.new_tree(&mut runner).unwrap().current();
        let case = trial.case(&arguments.to_string());
        // What no schema says can not be told, like the width of a map's keys.
        if case.judge {
            continue;
        }
        let outcome = case.gate.unwrap_err();
        counts.broken += 1;
        let by_problems = by_problems::repaired(&arguments, outcome.problems());
        counts.by_problems +=
            usize::from(counts.check("by problems", trial, &outcome, &arguments, &by_problems));
        match grammar.repaired(&arguments, outcome.text()) {
            Ok(call) => {
                let mended = counts.check("by words", trial, &outcome, &arguments, &call);
                counts.by_words += usize::from(mended);
            }
            Err(line) => {
                panic!("the grammar does not have the line\n{line}\nof {arguments} for {trial:?}")
            }
        }
    }
}

impl Counts {
    fn check(
        &mut self,
        how: &str,
        trial: &Trial,
        outcome: &Outcome,
        arguments: &Value,
        mended: &Value,
    ) -> bool {
        let case = trial.case(&mended.to_string());
        if case.judge {
            return true;
        }
        let still = case.gate.unwrap_err();
        let kinds = still.problems().iter().map(|p| format!("{how}: {:?}", p.kind()));
        let counted = kinds.map(|kind| {
            let count = self.kinds.entry(kind).or_default();
            *count += 1;
            *count
        });
        // A few of each kind tell enough.
        if counted.min().is_some_and(|count| count <= 2) {
            let schema = trial.schema();
            self.left.push(format!(
                "not mended {how}\nschema {schema}\nsent   {arguments}\n{}\n\nthen   {mended}\n{}",
                outcome.text(),
                still.text()
            ));
        }
        false
    }
}

fn runner(seed: u64) -> TestRunner {
    let bytes = (u128::from(seed) << 64 | 1).to_le_bytes();
    let config = Config { failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::XorShift, &bytes))
}

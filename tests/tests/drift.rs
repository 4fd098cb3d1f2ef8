//! The dispatcher accepts a text if and only if the published schema accepts its normal form.

use toolkit::Step;
use toolkit::prelude::*;
use toolkit::testing::{Agreement, Case, Trial};
use toolkit_tests::schemas::object;
use toolkit_tests::tools::annotated;
use toolkit_tests::{Dice, SecondJudge, call, cases, echo, view_of};

#[test]
fn a_tool_accepts_exactly_what_its_schema_accepts() {
    let mut dice = Dice::fresh("drift");
    let (mut accepted, total) = (0, cases(20_000));
    for _ in 0..total / 40 {
        let schema = object(&mut dice, 3);
        accepted += agree(&mut dice, echo(schema), 40).accepted;
    }
    println!("{accepted} of {total} accepted");
    assert!(accepted > total / 10, "only {accepted} of {total} were accepted; the dice are loaded");
}

#[test]
fn an_annotated_tool_accepts_exactly_what_its_schema_accepts() {
    let mut dice = Dice::fresh("drift of types");
    let (mut accepted, total) = (0, cases(20_000));
    let tools = annotated();
    let each = total / tools.len();
    for tool in tools {
        let name = tool.name().to_owned();
        let agreement = agree(&mut dice, tool, each);
        println!("{name}: {} of {each} accepted", agreement.accepted);
        let least = each / 20;
        assert!(agreement.accepted > least, "{name}: only {} of {each}", agreement.accepted);
        assert!(agreement.refused > least, "{name}: only {} of {each}", agreement.refused);
        accepted += agreement.accepted;
    }
    println!("{accepted} of {total} accepted");
}

/// What goes through the gate alone goes through all of dispatch just so.
#[test]
fn a_trial_is_what_dispatch_does() {
    let mut dice = Dice::fresh("trial and dispatch");
    let tools = annotated();
    let each = cases(4_000).min(100_000) / tools.len();
    for (tool, same) in tools.into_iter().zip(annotated()) {
        let (view, name) = (view_of(same), tool.name().to_owned());
        let compare = |case: &Case| {
            let outcome = call(&view, &name, &case.text);
            let expected = case.gate.as_ref().err().map(Outcome::text);
            let refused = (outcome.status() == Status::Invalid).then(|| outcome.text());
            assert_eq!(refused, expected, "{case}");
        };
        let agreed = Trial::of(tool).unwrap().agree(each, dice.next(), compare);
        agreed.unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Compares the verdicts on generated calls, and hands them on to the second judge.
fn agree(dice: &mut Dice, tool: Tool, count: usize) -> Agreement {
    let trial = Trial::of(tool).unwrap();
    let mut second = SecondJudge::of(trial.schema());
    let each = |case: &Case| {
        let is_told = !case.is_refused_by_type();
        second.hears(case.normal_form.as_ref().filter(|_| is_told), case.gate.is_ok());
        assert!(!case.is_refused_by_type() || is_known(case), "a type refuses it\n{case}");
    };
    trial.agree(count, dice.next(), each).unwrap_or_else(|error| panic!("{error}"))
}

/// What no schema can say: what WHATWG asks of a URL beyond RFC 3986, and that the seconds and
/// the nanoseconds of a duration together are too many.
fn is_known(case: &Case) -> bool {
    let outcome = case.gate.as_ref().unwrap_err();
    outcome.problems().iter().all(|problem| match problem.path().steps() {
        [Step::Field(first), ..] if first == "wait" => true,
        [.., Step::Field(key)] if key == "page" => true,
        [Step::Field(list), Step::Item(_)] if list == "i" => true,
        _ => false,
    })
}

//! The official JSON-Schema-Test-Suite, against the schema compiler and the judge themselves.
//!
//! `TOOLKIT_JSON_SCHEMA_TEST_SUITE` names a folder with its `draft2020-12` and `remotes`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolkit::__private::BareSchema;
use toolkit_tests::files;

/// Tests of each file that pass without the feature `jsonschema`; a number may only rise.
const WITHOUT_FEATURE: &[(&str, usize)] = &[
    ("additionalProperties", 18),
    ("allOf", 30),
    ("anchor", 0),
    ("anyOf", 18),
    ("boolean_schema", 18),
    ("const", 54),
    ("contains", 0),
    ("content", 18),
    ("default", 7),
    ("defs", 0),
    ("dependentRequired", 0),
    ("dependentSchemas", 0),
    ("dynamicRef", 0),
    ("enum", 51),
    ("exclusiveMaximum", 4),
    ("exclusiveMinimum", 4),
    ("format", 133),
    ("if-then-else", 0),
    ("infinite-loop-detection", 2),
    ("items", 29),
    ("maxContains", 0),
    ("maxItems", 6),
    ("maxLength", 7),
    ("maxProperties", 10),
    ("maximum", 8),
    ("minContains", 0),
    ("minItems", 6),
    ("minLength", 7),
    ("minProperties", 10),
    ("minimum", 11),
    ("multipleOf", 11),
    ("not", 38),
    ("oneOf", 27),
    ("pattern", 12),
    ("patternProperties", 25),
    ("prefixItems", 11),
    ("properties", 28),
    ("propertyNames", 22),
    ("ref", 44),
    ("refRemote", 0),
    ("required", 18),
    ("type", 80),
    ("unevaluatedItems", 0),
    ("unevaluatedProperties", 0),
    ("uniqueItems", 69),
    ("vocabulary", 0),
];

/// The folder of the suite.
fn suite() -> Option<PathBuf> {
    let folder = std::env::var_os("TOOLKIT_JSON_SCHEMA_TEST_SUITE").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: TOOLKIT_JSON_SCHEMA_TEST_SUITE is not set");
    }
    folder
}

fn read(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// The schemas that the suite's own refer to by their addresses.
fn remotes(folder: &Path) -> BTreeMap<String, Value> {
    let folder = folder.join("remotes");
    let address = |file: &Path| {
        let inside = file.strip_prefix(&folder).unwrap().to_str().unwrap().replace('\\', "/");
        format!("http://localhost:1234/{inside}")
    };
    files(&folder).iter().map(|file| (address(file), read(file))).collect()
}

/// What came of one file.
#[derive(Debug, Default)]
struct Tally {
    tests: usize,
    passed: usize,
    /// Schemas that are refused at build, with how many tests each has, and why.
    refused: Vec<(String, usize, Vec<String>)>,
    wrong: Vec<String>,
}

fn run(file: &Path, remotes: &BTreeMap<String, Value>) -> Tally {
    let mut tally = Tally::default();
    for group in read(file).as_array().unwrap() {
        let (about, tests) = (&group["description"], group["tests"].as_array().unwrap());
        tally.tests += tests.len();
        let schema = match BareSchema::compile(&group["schema"], remotes.clone()) {
            Ok(schema) => schema,
            Err(reasons) => {
                tally.refused.push((about.to_string(), tests.len(), reasons));
                continue;
            }
        };
        for test in tests {
            if schema.accepts(&test["data"].to_string()) == test["valid"] {
                tally.passed += 1;
            } else {
                tally.wrong.push(format!("{about}: {}: {}", test["description"], test["data"]));
            }
        }
    }
    tally
}

#[test]
fn every_required_test_passes_or_its_schema_is_refused_with_a_reason() {
    let Some(folder) = suite() else { return };
    let remotes = remotes(&folder);
    let (mut wrong, mut passed, mut unexplained) = (Vec::new(), Vec::new(), Vec::new());
    let (mut all, mut refused) = (0, 0);
    let mut required = files(&folder.join("draft2020-12"));
    required.retain(|file| file.parent().is_some_and(|parent| parent.ends_with("draft2020-12")));
    required.sort();
    for file in required {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let tally = run(&file, &remotes);
        for (about, tests, reasons) in tally.refused {
            println!("{name}: refused, with {tests} tests: {about}");
            println!("    {}", reasons.join("\n    "));
            refused += tests;
            let by_feature = "; the feature `jsonschema` of toolkit takes it";
            unexplained.extend(reasons.into_iter().filter(|reason| !reason.ends_with(by_feature)));
        }
        all += tally.tests;
        wrong.extend(tally.wrong.into_iter().map(|about| format!("{name}: {about}")));
        passed.push((name, tally.passed));
    }
    let sum: usize = passed.iter().map(|(_, count)| count).sum();
    println!("{sum} of {all} pass, {refused} have a schema that is refused");
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(unexplained, Vec::<String>::new(), "only the feature's keywords are refused");
    assert_eq!(all, 1_299);
    if cfg!(feature = "jsonschema") {
        assert_eq!(sum, all);
    } else {
        let expected: Vec<(String, usize)> =
            WITHOUT_FEATURE.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        assert_eq!(passed, expected, "raise what rose; nothing may fall");
    }
}

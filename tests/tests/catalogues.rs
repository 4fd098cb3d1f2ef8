//! Tools and calls of real catalogues: what is in use loads, and what was called is accepted.
//!
//! `TOOLKIT_CATALOGUES` names a folder with `livemcp-tools.json` (of `LiveMCPBench`),
//! `tau-tools.json` and `tau-calls.jsonl` (of tau-bench).

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use toolkit::prelude::*;
use toolkit_tests::call;

/// The tools that have a blank description, and are refused for that until they are given one.
const BLANK: [&str; 18] = [
    "get_financial_statements",
    "get_earnings_history",
    "get_insider_trades",
    "get-daily-challenge",
    "get-problem",
    "search-problems",
    "get-user-profile",
    "get-user-submissions",
    "get-contest-details",
    "get-user-contest-ranking",
    "create-research-plan",
    "research-with-keywords",
    "update-status",
    "fetch-content",
    "search-source",
    "list-resources",
    "research-source",
    "research-token",
];

/// A file of the catalogues.
fn catalogue(name: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("TOOLKIT_CATALOGUES").map(PathBuf::from) else {
        println!("skipped: TOOLKIT_CATALOGUES is not set");
        return None;
    };
    Some(fs::read_to_string(folder.join(name)).unwrap())
}

fn tool(entry: &Value, description: &str) -> Tool {
    let name = entry["name"].as_str().unwrap();
    let run = |arguments: Value, _| async move { Ok::<_, Failure>(arguments) };
    Tool::dynamic(name, description, entry["input_schema"].clone(), run).into()
}

/// What `build()` says of a tool.
fn faults(tool: Tool) -> Vec<String> {
    let built = Registry::builder().tool(tool).build();
    built.err().iter().flatten().map(ToString::to_string).collect()
}

#[test]
fn every_tool_loads_or_is_refused_with_a_reason() {
    let (mut loaded, mut refused, mut blank) = (0, Vec::new(), Vec::new());
    for file in ["livemcp-tools.json", "tau-tools.json"] {
        let Some(text) = catalogue(file) else { return };
        for entry in serde_json::from_str::<Vec<Value>>(&text).unwrap() {
            let mut description = entry["description"].as_str().unwrap();
            if description.trim().is_empty() {
                let name = entry["name"].as_str().unwrap().to_owned();
                let reason = "its description is blank; it is the only thing the model chooses by";
                assert_eq!(faults(tool(&entry, description)), [format!("tool `{name}`: {reason}")]);
                blank.push(name);
                // The schema is to be seen, too.
                description = "Does what its name says.";
            }
            match faults(tool(&entry, description)).as_slice() {
                [] => loaded += 1,
                faults => refused.extend(faults.to_vec()),
            }
        }
    }
    assert_eq!(refused, Vec::<String>::new());
    assert_eq!(blank, BLANK);
    assert_eq!(loaded, 510 + 26);
}

#[test]
fn every_recorded_call_is_accepted() {
    let (Some(listed), Some(calls)) = (catalogue("tau-tools.json"), catalogue("tau-calls.jsonl"))
    else {
        return;
    };
    let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
    let tools = listed.iter().map(|entry| tool(entry, entry["description"].as_str().unwrap()));
    let registry = Registry::builder().tools(tools).build().unwrap();
    let view = registry.view(Caller::new("tester"));
    let mut accepted = 0;
    let mut refused = Vec::new();
    for line in calls.lines() {
        let recorded: Value = serde_json::from_str(line).unwrap();
        let (name, arguments) = (recorded["name"].as_str().unwrap(), &recorded["arguments"]);
        let outcome = call(&view, name, &arguments.to_string());
        if outcome.status() == Status::Ok {
            assert_eq!(serde_json::from_str::<Value>(outcome.text()).unwrap(), *arguments);
            accepted += 1;
        } else {
            refused.push(format!("{name} {arguments}: {}", outcome.text()));
        }
    }
    assert_eq!(refused, Vec::<String>::new());
    assert_eq!(accepted, 1_196);
}

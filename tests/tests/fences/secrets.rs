//! A secret is seen by its function, and of a result by the model, and by nobody else.

use std::sync::{Arc, Mutex};

use schemars::{JsonSchema, schema_for};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use toolkit::dialect::{Answered, Anthropic, Gemini, Message, OpenAiChat, OpenAiResponses, Reply};
use toolkit::ledger::{Filter, Ledger, MemoryLedger, Row};
use toolkit::prelude::*;
use toolkit::{Effect, Limits, OnTaint, ProblemKind, RegistryBuilder, Secret};
use toolkit_tests::{Dice, call, cases, definition, view_of};

const CANARY: &str = "canary-51ab";

/// Sets a password.
#[tool(
    effect = "write",
    check = long_enough(&password),
    approval(user == "root"),
    preview = format!("sets {password:?} of {user}")
)]
fn set_password(
    user: String,
    #[arg(min_length = 4, pattern = "^[a-z0-9-]+$")] password: Secret<String>,
    pin: Option<Secret<u32>>,
) -> String {
    format!("{user}: {} {}", password.expose().len(), pin.map_or(0, |pin| pin.into_exposed() % 10))
}

fn long_enough(password: &Secret<String>) -> Result<(), ToolError> {
    if password.expose().len() > 6 { Ok(()) } else { Err(ToolError::business("is too short")) }
}

/// What a login gives.
#[derive(Debug, Serialize)]
struct Session {
    user: &'static str,
    token: Secret<String>,
}

/// Signs in.
#[tool(effect = "write")]
fn sign_in() -> Session {
    Session { user: "ann", token: Secret::new(CANARY.to_owned()) }
}

const KEY: [u8; 32] = [7; 32];

fn building(ledger: &Arc<MemoryLedger>) -> RegistryBuilder {
    Registry::builder()
        .tools(tools![set_password, sign_in])
        .ledger(Arc::clone(ledger))
        .approver(|_: ApprovalRequest| async { Decision::Approved })
        .secret_key(KEY)
}

fn rows(ledger: &Arc<MemoryLedger>) -> Vec<Row> {
    pollster::block_on(ledger.list(&Filter::default())).unwrap()
}

fn arguments(user: &str) -> String {
    json!({"user": user, "password": CANARY, "pin": 8_675_309}).to_string()
}

#[test]
fn the_schema_says_that_it_is_secret_and_nothing_else_of_it() {
    /// Signs up.
    #[tool]
    fn sign_up(#[arg(min_length = 8)] password: Secret<String>, pin: Option<Secret<u32>>) {
        drop((password, pin));
    }
    let shown = definition(&view_of(Tool::of::<sign_up>()));
    assert_eq!(
        shown["input_schema"]["properties"],
        json!({
            "password": {"type": "string", "minLength": 8, "writeOnly": true},
            "pin": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32, "writeOnly": true},
        }),
    );
    let registry = Registry::builder().tools(tools![sign_up]).build().unwrap();
    registry
        .check(&[&Anthropic.strict(), &OpenAiChat.strict(), &OpenAiResponses.strict(), &Gemini])
        .unwrap();
}

#[test]
fn the_function_gets_it_and_the_ledger_the_approver_and_the_rehearsal_do_not() {
    let ledger = Arc::new(MemoryLedger::new());
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&asked);
    let registry = building(&ledger)
        .approver(move |request: ApprovalRequest| {
            let shown = format!(
                "{request} {request:?} {} {} {:?}",
                request.arguments(),
                request.canonical_arguments(),
                request.preview(),
            );
            heard.lock().unwrap().push(shown);
            async { Decision::Approved }
        })
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    for user in ["bob", "root"] {
        let outcome = call(&view, "set_password", &arguments(user));
        assert_eq!(outcome.text(), format!("{user}: 11 9"));
        assert_eq!(call(&view, "set_password", &arguments(user)).status(), Status::Duplicate);
    }
    let asked = asked.lock().unwrap().join("\n");
    assert!(asked.contains("password: text(8) = \"[secret]\""), "{asked}");
    let documents: String = rows(&ledger).iter().map(|row| row.document.as_str()).collect();
    assert!(documents.contains(r#"\"password\":\"[secret]\",\"pin\":\"[secret]\""#), "{documents}");
    let rehearsed = ToolCall::new("1", "set_password", arguments("bob"));
    let rehearsed = view.dispatch_blocking(&rehearsed, Options::default().dry_run()).unwrap();
    for text in [asked, documents, rehearsed.text().to_owned(), format!("{view:?} {registry:?}")] {
        assert!(!text.contains(CANARY) && !text.contains("8675309"), "{text}");
    }
}

#[test]
fn two_secrets_are_two_calls_and_their_digests_can_not_be_tried_without_the_key() {
    let ledger = Arc::new(MemoryLedger::new());
    let view = building(&ledger).build().unwrap().view(Caller::new("ann"));
    let set = |view: &View, password: &str| {
        let arguments = json!({"user": "bob", "password": password}).to_string();
        call(view, "set_password", &arguments).status()
    };
    assert_eq!(set(&view, "password-1"), Status::Ok);
    assert_eq!(set(&view, "password-2"), Status::Ok);
    assert_eq!(set(&view, "password-1"), Status::Duplicate);
    let fingerprints = |ledger: &Arc<MemoryLedger>| -> Vec<String> {
        let of = |row: &Row| {
            let document: Value = serde_json::from_str(&row.document).unwrap();
            document["fingerprint"].as_str().unwrap().to_owned()
        };
        rows(ledger).iter().map(of).collect()
    };
    // Who has the rows tries every password that there is.
    let plain = |password: &str| {
        let text = format!(r#"{{"user":"bob","password":"{password}"}}"#);
        toolkit::ledger::Digest::of_arguments(&text).to_string()
    };
    let kept = fingerprints(&ledger);
    assert!(!kept.contains(&plain("password-1")) && !kept.contains(&plain("password-2")));
    // Another key gives other digests, the same one the same.
    let other = Arc::new(MemoryLedger::new());
    let view = building(&other).secret_key([8; 32]).build().unwrap().view(Caller::new("ann"));
    set(&view, "password-1");
    assert!(!kept.contains(&fingerprints(&other)[0]));
    let same = Arc::new(MemoryLedger::new());
    let view = building(&same).build().unwrap().view(Caller::new("ann"));
    set(&view, "password-1");
    assert!(kept.contains(&fingerprints(&same)[0]));
}

#[test]
fn a_secret_result_is_read_by_the_model_and_kept_by_nobody() {
    let ledger = Arc::new(MemoryLedger::new());
    let view = building(&ledger).build().unwrap().view(Caller::new("ann"));
    let first = call(&view, "sign_in", "{}");
    assert_eq!(first.text(), format!(r#"{{"user":"ann","token":"{CANARY}"}}"#));
    assert!(!format!("{first:?}").contains(CANARY));
    let sent = ToolCall::new("1", "sign_in", "{}");
    let history = [
        Message::Assistant(Reply::call("set_password", arguments("bob"))),
        Message::Results(vec![Answered::new(sent, first)]),
    ];
    let debug = format!("{history:?}");
    assert!(!debug.contains(CANARY) && !debug.contains("8675309"), "{debug}");
    let documents: String = rows(&ledger).iter().map(|row| row.document.as_str()).collect();
    assert!(!documents.contains(CANARY), "{documents}");
    let again = call(&view, "sign_in", "{}");
    assert_eq!(again.result_text(), "(the first result is secret and is not kept)");
}

#[test]
fn whoever_else_writes_it_writes_that_it_is_secret() {
    let secret = Secret::new(CANARY.to_owned());
    assert_eq!(serde_json::to_string(&secret).unwrap(), r#""[secret]""#);
    assert_eq!(format!("{secret:?}"), "[secret]");
    let session = Session { user: "ann", token: secret };
    assert_eq!(json!(session), json!({"user": "ann", "token": "[secret]"}));
}

#[test]
fn a_secret_in_any_wrong_place_is_told_back_to_nobody() {
    let view = building(&Arc::default()).build().unwrap().view(Caller::new("ann"));
    let mut dice = Dice::fresh("secrets");
    let wrong = [
        json!({"password": {"value": CANARY}, "user": "bob"}),
        json!({"password": [CANARY], "user": "bob"}),
        json!({"password": format!("{CANARY} !"), "user": "bob"}),
        json!({"pasword": CANARY, "user": "bob"}),
        json!({CANARY: CANARY, "user": "bob"}),
        json!({"user": "bob", "password": "long-enough", "pin": CANARY}),
        json!([CANARY]),
        json!(CANARY),
        json!({"password": CANARY}),
    ];
    let told = |arguments: &str| {
        let outcome = call(&view, "set_password", arguments);
        assert!(outcome.is_error(), "{arguments}");
        let structured = outcome.structured();
        let told = format!("{} {structured} {outcome:?} {:?}", outcome.text(), outcome.problems());
        assert!(!told.contains(CANARY), "{arguments}: {told}");
    };
    for arguments in &wrong {
        told(&arguments.to_string());
        told(&json!(arguments.to_string()).to_string());
    }
    for _ in 0..cases(5_000) {
        // Any part of a text that holds the secret, with bytes of it replaced.
        let text = dice.pick(&wrong).to_string();
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..=dice.below(3) {
            let at = dice.below(letters.len());
            if !CANARY.contains(letters[at]) {
                letters[at] = *dice.pick(&['{', '}', '[', ']', '"', ',', ':', ' ', 'x', '\\']);
            }
        }
        letters.truncate(1 + dice.below(letters.len() * 2).min(letters.len() - 1));
        let text: String = letters.into_iter().collect();
        let outcome = call(&view, "set_password", &text);
        let told = format!("{} {} {outcome:?}", outcome.text(), outcome.structured());
        assert!(!told.contains(CANARY), "{text}: {told}");
    }
}

#[test]
fn what_is_wrong_beside_a_secret_is_told_by_its_name() {
    let view = building(&Arc::default()).build().unwrap().view(Caller::new("ann"));
    for (arguments, place) in [
        (r#"{"password": "long-enough", "user": 5}"#, "$.user"),
        (r#"{"password": "no", "user": "bob"}"#, "$.password"),
        (r#"{"password": "long-enough"}"#, "$.user"),
    ] {
        let outcome = call(&view, "set_password", arguments);
        let places: Vec<_> =
            outcome.problems().iter().map(|told| told.path().to_string()).collect();
        assert_eq!(places, [place], "{}", outcome.text());
    }
}

#[test]
fn what_could_not_be_kept_is_found_when_the_registry_is_built() {
    let secret = || json!({"properties": {"token": {"type": "string", "writeOnly": true}}});
    let tool = |name: &str, schema: Value| {
        Tool::dynamic(name, "Does it.", schema, |_, _| async { Ok::<_, ToolError>(()) })
    };
    let nested = json!({"properties": {"login": {
        "type": "object",
        "properties": {"token": {"type": "string", "writeOnly": true}},
    }}});
    let errors = Registry::builder()
        .tool(tool("close", secret()).effect(Effect::Irreversible))
        .tool(tool("write", secret()).effect(Effect::Write).idempotency(["token"]))
        .tool(tool("nest", nested).effect(Effect::Read))
        .ledger(MemoryLedger::new())
        .build()
        .unwrap_err();
    let keyless = "its calls are kept and some of its arguments are secret, so that a plain digest \
                   of them could be guessed; add `.secret_key(…)`";
    assert_eq!(
        errors.iter().map(ToolConfigError::message).collect::<Vec<_>>(),
        [
            "a person may have to agree to it, and its calls can not wait in a ledger, since a row \
             would hold a secret; add `.approver(…)`, whose one word is enough",
            keyless,
            "`token` is secret, and is to make two calls one, which would keep it in a key; leave \
             it out of `idempotency`",
            keyless,
            "a secret stands inside of another argument, where it would be shown with it; make it \
             a parameter of its own, like `token: Secret<String>` or `Option<Secret<String>>`",
        ],
    );
    let short = Registry::builder().secret_key([1; 8]).build().unwrap_err();
    assert_eq!(
        short.to_string(),
        "the registry has 1 mistake:\n  the secret key has 8 bytes; at least 32 are needed",
    );
    let tainted = |on_taint: OnTaint| {
        Registry::builder()
            .tool(tool("web", json!({})).effect(Effect::Read).reads_untrusted())
            .tool(tool("write", secret()).effect(Effect::Write))
            .ledger(MemoryLedger::new())
            .secret_key(KEY)
            .on_taint(on_taint)
            .build()
    };
    assert!(tainted(OnTaint::Approval).is_err());
    assert!(tainted(OnTaint::Strip).is_ok());
}

#[test]
fn what_a_tool_requires_is_told_without_the_secret_that_must_be_the_same() {
    /// Checks a login.
    #[tool(effect = "read")]
    fn check_login(password: Secret<String>) {
        drop(password);
    }

    /// Reads the mail.
    #[tool(effect = "read", requires(check_login(password)))]
    fn read_mail(password: Secret<String>) {
        drop(password);
    }

    let registry =
        Registry::builder().tools(tools![check_login, read_mail]).secret_key(KEY).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    let asked = json!({"password": CANARY}).to_string();
    let outcome = call(&view, "read_mail", &asked);
    assert_eq!(outcome.status(), Status::Prerequisite);
    assert!(outcome.text().contains("Call check_login with password \"[secret]\""), "{outcome:?}");
    let looked = ToolCall::new("call_1", "check_login", asked.as_str());
    let done = view.dispatch_blocking(&looked, Options::default()).unwrap();
    let history = [Message::Results(vec![Answered::new(looked, done)])];
    let read = |password: &str| {
        let arguments = json!({"password": password}).to_string();
        let options = Options::default().history(&history);
        view.dispatch_blocking(ToolCall::new("call_2", "read_mail", arguments), options).unwrap()
    };
    assert_eq!(read(CANARY).status(), Status::Ok);
    assert_eq!(read("another one").status(), Status::Prerequisite);
}

#[test]
fn a_field_that_is_called_like_a_keyword_hides_no_secret_and_is_none() {
    /// Sets a default.
    #[tool(effect = "read")]
    fn set_default(default: Secret<String>) {
        drop(default);
    }
    let view = view_of(Tool::of::<set_default>());
    assert_eq!(call(&view, "set_default", r#"{"default": "x"}"#).status(), Status::Ok);

    let login = json!({"properties": {"login": {
        "type": "object",
        "properties": {"default": {"type": "string", "writeOnly": true}},
    }}});
    let sign_in =
        Tool::dynamic("sign_in", "Signs in.", login, |_, _| async { Ok::<_, ToolError>(()) });
    let errors = Registry::builder().tool(sign_in).build().unwrap_err();
    assert!(errors.to_string().contains("a secret stands inside of another argument"), "{errors}");
}

/// Breaks when its secret was written.
#[derive(Debug)]
struct Breaking;

impl Serialize for Breaking {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        drop(Secret::new(CANARY).serialize(serializer));
        panic!("it can not be written")
    }
}

#[test]
fn a_thread_that_wrote_a_result_for_the_model_shows_no_secret_from_then_on() {
    /// Gives a token.
    #[tool(effect = "read")]
    fn sign_in() -> Secret<&'static str> {
        Secret::new(CANARY)
    }

    /// Gives what can not be written.
    #[tool(effect = "read")]
    fn break_off() -> Breaking {
        Breaking
    }
    let registry = Registry::builder().tools(tools![sign_in, break_off]).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    for (tool, status) in [("sign_in", Status::Ok), ("break_off", Status::Failed)] {
        assert_eq!(call(&view, tool, "{}").status(), status);
        let written = serde_json::to_string(&Secret::new(CANARY)).unwrap();
        assert_eq!(written, r#""[secret]""#, "after {tool}");
    }
}

#[test]
fn whoever_makes_a_schema_of_a_secret_finds_it_marked_where_it_stands() {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "its schema alone is asked for")]
    struct Login {
        token: Secret<String>,
    }
    let properties = schema_for!(Login).get("properties").cloned();
    assert_eq!(properties, Some(json!({"token": {"type": "string", "writeOnly": true}})));
    let pin = schema_for!(Secret<u8>).get("title").cloned();
    assert_eq!(pin, Some(json!("Secret_uint8")));
}

#[test]
fn what_is_wrong_is_told_of_the_arguments_that_are_no_secret_alone() {
    #[derive(Debug)]
    #[arg_type]
    struct Card {
        number: u64,
    }

    /// Enrolls a user.
    #[tool(effect = "read")]
    fn enroll(user: Vec<String>, pin: Secret<u16>, card: Option<Secret<Card>>) {
        drop((user, pin, card.map(|card| card.into_exposed().number)));
    }
    let limits = Limits { argument_bytes: 80, depth: 3, ..Limits::default() };
    let registry = Registry::builder().tools(tools![enroll]).limits(limits).build().unwrap();
    let view = registry.view(Caller::new("ann"));
    let told = |arguments: &str| {
        let outcome = call(&view, "enroll", arguments);
        assert_eq!(outcome.status(), Status::Invalid);
        let said: Vec<String> = outcome.problems().iter().map(ToString::to_string).collect();
        assert_eq!(outcome.text(), said.join("\n"));
        said
    };
    let of_pin = "$.pin: is not accepted, and is not shown since it is secret";
    let of_card = "$.card: is not accepted, and is not shown since it is secret";
    let of_all = "$: is not accepted, and is not shown since it is secret";
    let of_no_field = "$: has a field that the tool does not have; neither its name nor its value \
                       is shown, since some arguments are secret";
    for (arguments, said) in [
        (r#"{"user": ["a"]}"#, "$: missing required field 'pin' (an integer from 0 to 65535)"),
        (r#"{"user": ["a"], "pin": 1, "pin": 2}"#, "$: field 'pin' is given twice; give it once"),
        (r#"{"user": ["a"], "pin": "hunter2"}"#, of_pin),
        (r#"{"user": [7], "pin": 1}"#, "$.user[0]: expected text, got 7 (write \"7\")"),
        (r#"{"user": [[[[]]]], "pin": 1}"#, "$.user[0][0]: nested more than 3 levels deep"),
        (r#"{"user": ["a"], "pin": 1, "card": {}}"#, of_card),
        (r#"{"user": ["a"], "pin": 1, "card": {"number": 1, "number": 2}}"#, of_card),
        (r#"{"user": ["a"], "pin": 1, "hunter2": 3}"#, of_no_field),
        (r#"{"user": ["a"], "pin": hunter2}"#, "$: is not one JSON object"),
        (r#"["hunter2"]"#, of_all),
        (
            &format!(r#"{{"user": ["{}"], "pin": 1}}"#, "x".repeat(80)),
            "$: the arguments are 104 bytes long; at most 80 are accepted",
        ),
    ] {
        assert_eq!(told(arguments), [said], "{arguments}");
    }
    let kind = |arguments: &str| call(&view, "enroll", arguments).problems()[0].kind();
    assert_eq!(kind(r#"{"user": ["a"], "pin": "hunter2"}"#), ProblemKind::WrongType);
    assert_eq!(kind(r#"{"user": ["a"], "pin": 1, "card": {}}"#), ProblemKind::Refused);
}

//! The tools that fit a request, out of those that a view shows.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use toolkit::dialect::{
    Answered, Anthropic, Dialect, Message, OpenAiChat, OpenAiResponses, Request,
};
use toolkit::prelude::*;
use toolkit::{Agent, BoxError, Embedder, Reply, ScriptedModel, ToolSearch};
use toolkit_tests::catalogue::{Entry, builder, metatool, retrieval, shop, view};
use toolkit_tests::{Dice, call, cases};

fn names(view: &View, request: &str, k: usize) -> Vec<String> {
    view.search(request, k).iter().map(|found| found.name().to_owned()).collect()
}

#[test]
fn each_request_of_the_shop_finds_its_tool_in_the_top_three_by_words_alone() {
    let shop = shop();
    assert_eq!((shop.tools.len(), shop.requests.len()), (30, 5));
    let view = view(&shop.tools);
    for labelled in &shop.requests {
        let found = names(&view, &labelled.request, 3);
        assert!(found.contains(&labelled.tool), "{}: {found:?}", labelled.request);
    }
}

#[test]
fn who_forgot_the_password_and_is_locked_out_finds_reset_password_first() {
    let view = view(&shop().tools);
    assert_eq!(names(&view, "I forgot my password and I'm locked out", 3)[0], "reset_password");
}

#[test]
fn words_alone_find_more_of_metatool_than_what_was_measured_before() {
    let Some(metatool) = metatool() else { return };
    let view = view(&metatool.tools);
    let found = retrieval(&metatool.queries, |request| names(&view, request, 5));
    println!("{found:?}");
    assert!(found.first > 0.421 && found.five > 0.626, "{found:?}");
}

#[test]
fn a_tool_that_is_named_letter_by_letter_is_always_found() {
    let mut entries = shop().tools;
    entries.push(Entry::new("ping", "Asks whether the shop's server is there."));
    entries.push(Entry::new("ns.get", "Reads."));
    let view = view(&entries);
    for Entry { name, .. } in &entries {
        for request in [
            name.clone(),
            format!("`{name}`"),
            format!("Please give me the money back for my order and call {name}."),
        ] {
            let found = names(&view, &request, 1);
            assert_eq!(found, [name.as_str()], "{request}");
        }
    }
    assert_eq!(names(&view, "ns_get", 1), ["ns.get"], "the name on the wire is a name, too");
    let both = names(&view, "call refund_payment and then ping", 2);
    assert_eq!(both, ["refund_payment", "ping"]);
    let three = names(&view, "send ping, unsubscribe, a newsletter", 3);
    assert!(three.contains(&"ping".to_owned()) && three.contains(&"unsubscribe".to_owned()));
    assert_eq!(names(&view, "PING", 1), ["ping"], "its word is found, if not its name");
}

#[test]
fn a_plain_word_that_is_a_name_is_found_and_stands_where_its_words_put_it() {
    let entries = [
        Entry::new("search", "Asks the index of all documents."),
        Entry::new("get_order", "Looks up where an order is, by its id."),
    ];
    let view = view(&entries);
    assert_eq!(names(&view, "search for the order with id 7", 2), ["get_order", "search"]);
    assert_eq!(names(&view, "search", 2), ["search"]);
}

#[test]
fn nothing_is_found_where_nothing_fits() {
    let view = view(&shop().tools);
    assert_eq!(names(&view, "", 5), [""; 0]);
    assert_eq!(names(&view, "and if we were not to", 5), [""; 0]);
    assert_eq!(names(&view, "photosynthesis", 5), [""; 0]);
    assert_eq!(names(&view, "refund_payment", 0), [""; 0]);
    let none = Registry::builder().build().unwrap().view(Caller::new("ada"));
    assert_eq!(names(&none, "anything", 5), [""; 0]);
}

#[test]
fn names_are_split_words_are_stemmed_and_scripts_without_spaces_are_read_in_pairs() {
    let entries = [
        Entry::new("getInvoicePDF", "Fetches it."),
        Entry::new("bing_search", "使用必应搜索指定的关键词，并返回搜索结果列表"),
        Entry::new("weather", "Sagt das Wetter für München voraus."),
    ];
    let view = view(&entries);
    assert_eq!(names(&view, "invoices, please", 1), ["getInvoicePDF"]);
    assert_eq!(names(&view, "fetching", 1), ["getInvoicePDF"]);
    assert_eq!(names(&view, "搜索新闻", 1), ["bing_search"]);
    assert_eq!(names(&view, "Regnet es in München?", 1), ["weather"]);
}

#[test]
fn equal_tools_stand_in_the_registrys_order() {
    let entries: Vec<Entry> =
        ["red", "blue", "green"].iter().map(|name| Entry::new(*name, "Looks at stars.")).collect();
    assert_eq!(names(&view(&entries), "stars", 3), ["red", "blue", "green"]);
    assert_eq!(names(&view(&entries), "stars", 2), ["red", "blue"]);
}

/// Everything that a view tells of a request.
fn told(view: &View, request: &str) -> Vec<String> {
    let found = view.search(request, 5);
    let asked = json!({"request": request, "limit": 3}).to_string();
    vec![
        format!("{found:?}"),
        call(view, "search_tools", &asked).text().to_owned(),
        view.scoped_to(request, 4, ["get_order"]).definitions(&OpenAiChat).unwrap().to_string(),
        view.loaded(&[]).definitions(&Anthropic).unwrap().to_string(),
        view.offer_by_search(&Anthropic, &[]).unwrap().definitions().to_string(),
    ]
}

#[test]
fn a_hidden_tool_changes_no_byte_of_what_is_found() {
    let mut dice = Dice::fresh("hidden tools and search");
    let shop = shop();
    let search = || ToolSearch::new().always(["get_order"]);
    for _ in 0..cases(40) {
        let (mut seen, mut all) = (Vec::new(), Vec::new());
        for entry in &shop.tools {
            if entry.name == "get_order" || dice.one_in(3) {
                seen.push(entry.clone());
                all.push(entry.clone());
            } else if dice.one_in(2) {
                all.push(entry.clone());
            }
        }
        let visible: Vec<String> =
            seen.iter().map(|entry| entry.name.clone()).chain(["search_tools".into()]).collect();
        let view_of = |entries: &[Entry], embeds: bool| {
            let builder = builder(entries).tool_search(search());
            let builder = if embeds { builder.embedder(Letters) } else { builder };
            builder.build().unwrap().view(Caller::new("ada")).scoped(&visible)
        };
        let hidden = dice.pick(&shop.tools).name.clone();
        let request = format!("{} {hidden}", dice.pick(&shop.requests).request);
        for embeds in [false, true] {
            let (alone, beside) = (view_of(&seen, embeds), view_of(&all, embeds));
            assert_eq!(told(&alone, &request), told(&beside, &request), "{request}");
        }
    }
}

/// Meaning by letters: enough for texts that share them.
struct Letters;

impl Embedder for Letters {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
        let one = |text: &&str| {
            let mut counts = vec![0.01; 26];
            for letter in text.bytes().filter(u8::is_ascii_alphabetic) {
                counts[usize::from(letter.to_ascii_lowercase() - b'a')] += 1.0;
            }
            counts
        };
        Ok(texts.iter().map(one).collect())
    }
}

/// Meaning by a table: what is said of the money, of the weather, or of neither.
struct Topics {
    fails: Arc<AtomicBool>,
}

impl Embedder for Topics {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
        if self.fails.load(Ordering::Relaxed) {
            return Err("out of memory".into());
        }
        let topic = |text: &&str| match text.to_lowercase() {
            text if text.contains("money") || text.contains("cash") => vec![2.0, 0.0],
            text if text.contains("weather") || text.contains("umbrella") => vec![0.0, 0.5],
            _ => vec![-1.0, -1.0],
        };
        Ok(texts.iter().map(topic).collect())
    }
}

#[test]
fn meaning_finds_what_words_do_not_and_both_together_stand_first() {
    let entries = [
        Entry::new("get_forecast", "Tells the weather of a day."),
        Entry::new("pay_out", "Gives money to a customer."),
        Entry::new("call_taxi", "Calls a taxi to the customer."),
    ];
    let fails = Arc::new(AtomicBool::new(false));
    let registry = builder(&entries).embedder(Topics { fails: Arc::clone(&fails) });
    let view = registry.build().unwrap().view(Caller::new("ada"));
    assert_eq!(names(&view, "Do I need an umbrella?", 1), ["get_forecast"]);
    let request = "cash for the customer";
    let found = view.search(request, 3);
    let order: Vec<&str> = found.iter().map(toolkit::Found::name).collect();
    assert_eq!(order, ["pay_out", "get_forecast", "call_taxi"]);
    // The forecast shares no word with the request.
    let plain = builder(&entries).build().unwrap().view(Caller::new("ada"));
    let by_words = plain.search(request, 3);
    let [money, taxi] = [0, 1].map(|rank| by_words[rank].score());
    assert_eq!((by_words.len(), by_words[1].name()), (2, "call_taxi"));
    let said = standard([money, 0.0, taxi]);
    let meant = standard([1.0, 0.0, -0.5_f32.sqrt()]);
    for (found, (said, meant)) in found.iter().zip(said.into_iter().zip(meant)) {
        let both = 0.3 * said + 0.7 * meant;
        assert!((found.score() - both).abs() < 1e-5, "{found:?}: {both}");
    }
    fails.store(true, Ordering::Relaxed);
    assert_eq!(names(&view, "Do I need an umbrella?", 1), [""; 0]);
    assert_eq!(names(&view, "cash for the customer", 1), ["pay_out"], "words still find");
}

/// By how many standard deviations each is above the mean.
fn standard(scores: [f32; 3]) -> [f32; 3] {
    let mean = scores.iter().sum::<f32>() / 3.0;
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f32>() / 3.0;
    scores.map(|score| (score - mean) / variance.sqrt())
}

/// To which all texts mean the same.
struct Same;

impl Embedder for Same {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
        Ok(vec![vec![3.0, 1.0]; texts.len()])
    }
}

#[test]
fn where_one_ranking_says_nothing_the_other_decides() {
    let entries = [
        Entry::new("get_forecast", "Tells the weather of a day."),
        Entry::new("pay_out", "Gives money to a customer."),
    ];
    // Where no word fits, either, only the tools' order is left.
    let same = builder(&entries).embedder(Same).build().unwrap().view(Caller::new("ada"));
    assert_eq!(names(&same, "money for the customer", 1), ["pay_out"]);
    assert_eq!(names(&same, "zebra", 2), ["get_forecast", "pay_out"]);
    assert_eq!(same.search("zebra", 1)[0].score().to_bits(), 0_f32.to_bits());
}

/// Gives what it was made of.
struct Given(Result<Vec<Vec<f32>>, &'static str>);

impl Embedder for Given {
    fn embed(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
        self.0.clone().map_err(Into::into)
    }
}

#[test]
fn an_embedder_that_can_not_tell_what_the_tools_mean_is_a_mistake_of_the_wiring() {
    let two = [Entry::new("one", "One."), Entry::new("two", "Two.")];
    for (given, why) in [
        (Err("no weights"), "no weights"),
        (Ok(vec![vec![1.0]]), "2 texts were given 1 vectors"),
        (Ok(vec![vec![1.0], vec![1.0, 2.0]]), "a vector has 2 numbers, and another 1"),
        (Ok(vec![vec![1.0], vec![0.0]]), "a vector is zero, or not finite"),
        (Ok(vec![vec![1.0], vec![f32::NAN]]), "a vector is zero, or not finite"),
    ] {
        let errors = builder(&two).embedder(Given(given)).build().unwrap_err();
        let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(told, [format!("the embedder can not tell what the tools mean: {why}")]);
    }
}

fn searching() -> View {
    let search = ToolSearch::new().always(["get_order"]).top(2);
    builder(&shop().tools).tool_search(search).build().unwrap().view(Caller::new("ada"))
}

#[test]
fn a_model_that_searches_itself_reads_what_it_found_from_the_next_turn_on() {
    let view = searching();
    assert_eq!(view.loaded(&[]).visible(), ["get_order", "search_tools"]);
    let found = call(&view, "search_tools", r#"{"request": "customer who forgot the password"}"#);
    let told: Value = serde_json::from_str(found.text()).unwrap();
    assert_eq!(told["tools"][0]["name"], "reset_password");
    assert_eq!(told["tools"].as_array().unwrap().len(), 2);

    let wanted = r#"{"request": "locked out, forgot the password", "limit": 1}"#;
    let model = ScriptedModel::new([
        Reply::call("search_tools", wanted),
        Reply::call("reset_password", r#"{"email": "ada@example.org"}"#),
        Reply::text("It is on its way."),
    ]);
    let run = Agent::new(model, view.clone()).run_blocking("I can not get in.").unwrap();
    assert_eq!(run.trajectory(), ["search_tools", "reset_password"]);
    assert_eq!(
        view.loaded(run.transcript()).visible(),
        ["reset_password", "get_order", "search_tools"],
    );
}

#[test]
fn a_search_says_when_nothing_fits_and_refuses_what_is_no_request() {
    let view = searching();
    assert_eq!(
        call(&view, "search_tools", r#"{"request": "photosynthesis"}"#).text(),
        r#"{"tools":[],"hint":"No tool fits these words. Try other words."}"#,
    );
    for (arguments, why) in [
        ("{}", "$: missing required field 'request'"),
        (r#"{"request": ""}"#, "$.request: "),
        (r#"{"request": "x", "limit": 21}"#, "$.limit: "),
        (r#"{"request": "x", "k": 1}"#, "$: unexpected field 'k'"),
    ] {
        let outcome = call(&view, "search_tools", arguments);
        assert_eq!(outcome.status(), Status::Invalid);
        assert!(outcome.text().starts_with(why), "{}", outcome.text());
    }
}

#[test]
fn the_search_tool_says_itself_when_it_is_right() {
    let search = ToolSearch::new();
    let registry = builder(&shop().tools).tool_search(search).build().unwrap();
    let report = registry.lint();
    let of_search: Vec<String> = report
        .iter()
        .filter(|found| found.tool() == Some("search_tools"))
        .map(ToString::to_string)
        .collect();
    assert_eq!(of_search, [""; 0]);
}

#[test]
fn the_search_tool_never_tells_of_itself() {
    let view = searching();
    let outcome = call(&view, "search_tools", r#"{"request": "search_tools finds tools"}"#);
    assert!(!outcome.text().contains("search_tools"), "{}", outcome.text());
}

#[test]
fn without_the_search_tool_nothing_is_deferred() {
    let all: Vec<String> = shop().tools.into_iter().map(|entry| entry.name).collect();
    let view = searching().scoped(&all);
    assert_eq!(view.loaded(&[]).visible(), all);
    assert_eq!(view.deferred(), [""; 0]);
    let offer = view.offer_by_search(&Anthropic, &[]).unwrap();
    assert_eq!(offer.definitions(), view.definitions(&Anthropic).unwrap());
}

#[test]
fn where_the_provider_searches_itself_all_tools_go_there_and_ours_does_not() {
    let view = searching();
    assert_eq!(view.deferred().len(), 29);
    for (dialect, search) in [
        (&Anthropic as &dyn Dialect, "tool_search_tool_bm25_20251119"),
        (&OpenAiResponses, "tool_search"),
    ] {
        let definitions = view.offer_by_search(dialect, &[]).unwrap().definitions();
        let tools = definitions.as_array().unwrap();
        assert_eq!(tools[0]["type"], search);
        assert_eq!(tools.len(), 31);
        let deferred = |tool: &&Value| tool["defer_loading"] == json!(true);
        assert_eq!(tools.iter().filter(deferred).count(), 29);
        assert!(!definitions.to_string().contains("search_tools"));
    }
    let elsewhere = view.offer_by_search(&OpenAiChat, &[]).unwrap().definitions();
    assert_eq!(elsewhere, view.loaded(&[]).definitions(&OpenAiChat).unwrap());
}

#[test]
fn a_search_in_the_history_goes_on_counting_and_one_of_a_hidden_tool_does_not() {
    let view = searching();
    let asked = ToolCall::new("1", "search_tools", r#"{"request": "the invoice of an order"}"#);
    let outcome = view.dispatch_blocking(&asked, Options::default()).unwrap();
    let history = [
        Message::User("My invoice?".to_owned()),
        Message::Assistant(Reply::calls([asked.clone()])),
        Message::Results(vec![Answered::new(asked, outcome)]),
    ];
    let loaded = view.loaded(&history);
    assert!(loaded.visible().contains(&"get_invoice"));
    let request = Request::new("small", &history).tools(loaded.definitions(&OpenAiChat).unwrap());
    assert!(OpenAiChat.request(&request).to_string().contains(r#""name":"get_invoice""#));
    let narrower = view.scoped(["get_order", "search_tools"]);
    assert_eq!(narrower.loaded(&history).visible(), ["get_order", "search_tools"]);
}

#[test]
fn a_tool_that_is_always_to_be_read_must_be_there() {
    let search = ToolSearch::new().always(["get_order", "get_ordre"]);
    let errors = builder(&shop().tools).tool_search(search).build().unwrap_err();
    let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["`get_ordre` is always to be read beside the search, and is no tool"]);
    let taken = [Entry::new("search_tools", "Mine.")];
    assert!(builder(&taken).tool_search(ToolSearch::new()).build().is_err());
}

/// Reads.
#[tool(effect = "read")]
fn look() {}

#[test]
fn where_tools_say_their_effect_the_search_says_it_reads() {
    let builder = Registry::builder().tools(tools![look]).tool_search(ToolSearch::new());
    let view = builder.dry_run().build().unwrap().view(Caller::new("ada"));
    assert_eq!(view.effect_of("search_tools"), Some(toolkit::Effect::Read));
    let outcome = call(&view, "search_tools", r#"{"request": "look"}"#);
    assert_eq!(outcome.text(), r#"{"tools":[{"name":"look","description":"Reads."}]}"#);
}

#[test]
fn a_rehearsal_finds_tools_and_an_embedder_that_panics_is_a_search_by_words() {
    struct Bomb;
    impl Embedder for Bomb {
        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, BoxError> {
            assert!(!texts.contains(&"an order"), "it broke");
            Ok(texts.iter().map(|_| vec![1.0, 0.0]).collect())
        }
    }
    let undeclared = Tool::dynamic("get_order", "Looks up an order.", json!({}), |_, _| async {
        Ok::<_, ToolError>(())
    });
    let registry = Registry::builder()
        .tool(undeclared)
        .tool_search(ToolSearch::new())
        .embedder(Bomb)
        .dry_run()
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    let found = call(&view, "search_tools", r#"{"request": "an order"}"#);
    assert_eq!(found.status(), Status::Ok);
    assert!(found.text().contains("get_order"), "{}", found.text());
}

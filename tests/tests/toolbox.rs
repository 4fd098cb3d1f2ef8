//! The methods of a value as tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use toolkit::prelude::*;
use toolkit::testing::{Trial, agree};
use toolkit::{Effect, Toolbox};
use toolkit_tests::call;

/// Lets the other calls go first.
async fn pause() {
    let mut is_first = true;
    std::future::poll_fn(|context| {
        if std::mem::take(&mut is_first) {
            context.waker().wake_by_ref();
            return std::task::Poll::Pending;
        }
        std::task::Poll::Ready(())
    })
    .await;
}

struct Bank {
    name: String,
    refunds: AtomicU64,
}

struct Fees(u64);

impl Bank {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), refunds: AtomicU64::new(0) }
    }
}

#[toolbox]
impl Bank {
    const LARGEST: u64 = 500;

    /// Tells the bank's name.
    #[tool(effect = "read")]
    fn name(&self) -> &str {
        &self.name
    }

    /// Refunds an order.
    #[tool(
        effect = "write", ledger = none("a test calls it again and again"),
        scopes("payments:write"),
        check = self.is_open(order_id).await,
        check = is_known(self, order_id),
        approval(matches!(amount, 1.. if amount > Self::LARGEST) && self.refunds() < 10)
    )]
    async fn refund(
        &self,
        #[context] cx: &CallContext,
        #[state] fees: &Fees,
        /// The order's id.
        #[arg(pattern = r"^O-\d+$")]
        order_id: &str,
        amount: u64,
    ) -> Result<String, Failure> {
        let name = &self.name;
        pause().await;
        self.refunds.fetch_add(1, Ordering::Relaxed);
        let Fees(fee) = fees;
        Ok(format!("{name} pays {amount} less {fee} for {order_id} to {}", cx.caller().principal()))
    }

    /// Counts the refunds.
    #[tool(name = "count-refunds", effect = "read")]
    fn refunds(&self) -> u64 {
        self.refunds.load(Ordering::Relaxed)
    }

    /// Tells how the bank may be reached.
    #[tool(effect = "read")]
    fn r#match(r#type: Option<String>) -> String {
        r#type.unwrap_or_else(|| "by post".to_owned())
    }

    /// Keeps the bank for longer than the call.
    #[tool(effect = "read")]
    async fn keep(self: Arc<Self>, times: usize) -> usize {
        let kept = vec![Arc::clone(&self); times];
        pause().await;
        kept.iter().map(|bank| bank.name.len()).sum()
    }

    async fn is_open(&self, order_id: &str) -> Result<(), ToolError> {
        pause().await;
        if order_id == "O-0" {
            return Err(ToolError::business(format!("{} closed it", self.name)));
        }
        Ok(())
    }
}

fn is_known(bank: &Bank, order_id: &str) -> Result<(), ToolError> {
    if order_id == "O-0" || order_id == "O-9" {
        return Err(ToolError::business(format!("{} does not know {order_id}", bank.name)));
    }
    Ok(())
}

fn view_of(bank: Arc<Bank>) -> View {
    let declined = |request: ApprovalRequest| async move {
        Decision::declined(request.canonical_arguments().to_owned())
    };
    let registry =
        Registry::builder().toolbox(bank).state(Fees(2)).approver(declined).build().unwrap();
    registry.view(Caller::new("ann").scopes(["payments:write"]))
}

fn answered(view: &View, name: &str, arguments: &str) -> (Status, String) {
    let outcome = call(view, name, arguments);
    (outcome.status(), outcome.text().to_owned())
}

fn faults(builder: toolkit::RegistryBuilder) -> Vec<String> {
    builder.build().unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn the_methods_of_a_value_are_called_on_it() {
    let bank = Arc::new(Bank::new("Ada's"));
    let view = view_of(Arc::clone(&bank));
    assert_eq!(view.visible(), ["name", "refund", "count-refunds", "match", "keep"]);
    assert_eq!(answered(&view, "name", "{}"), (Status::Ok, "Ada's".to_owned()));
    assert_eq!(
        answered(&view, "refund", r#"{"order_id": "O-1", "amount": 5}"#),
        (Status::Ok, "Ada's pays 5 less 2 for O-1 to ann".to_owned())
    );
    assert_eq!(answered(&view, "count-refunds", "{}"), (Status::Ok, "1".to_owned()));
    assert_eq!(answered(&view, "match", "{}"), (Status::Ok, "by post".to_owned()));
    assert_eq!(answered(&view, "match", r#"{"type": "a"}"#), (Status::Ok, "a".to_owned()));
    assert_eq!(answered(&view, "keep", r#"{"times": 3}"#), (Status::Ok, "15".to_owned()));
    assert_eq!(bank.refunds(), 1);
}

#[test]
fn the_methods_stay_callable_as_they_are_written() {
    let bank = Arc::new(Bank::new("Ada's"));
    assert_eq!(bank.name(), "Ada's");
    assert_eq!(Bank::r#match(Some("by foot".to_owned())), "by foot");
    let kept = std::pin::pin!(Arc::clone(&bank).keep(2));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let mut kept = kept;
    assert_eq!(kept.as_mut().poll(&mut context), std::task::Poll::Pending);
    assert_eq!(kept.as_mut().poll(&mut context), std::task::Poll::Ready(10));
}

#[test]
fn rules_see_the_value_and_every_rule_is_asked() {
    let bank = Arc::new(Bank::new("Ada's"));
    let view = view_of(Arc::clone(&bank));
    let refund = |arguments: &str| answered(&view, "refund", arguments);
    assert_eq!(
        refund(r#"{"order_id": "O-0", "amount": 5}"#),
        (Status::Rejected, "Ada's closed it\nAda's does not know O-0".to_owned())
    );
    assert_eq!(
        refund(r#"{"order_id": "O-9", "amount": 5}"#),
        (Status::Rejected, "Ada's does not know O-9".to_owned())
    );
    let large = r#"{"order_id": "O-1", "amount": 501}"#;
    assert_eq!(refund(large).0, Status::Declined);
    bank.refunds.store(10, Ordering::Relaxed);
    assert_eq!(refund(large), (Status::Ok, "Ada's pays 501 less 2 for O-1 to ann".to_owned()));
}

#[test]
fn the_registry_holds_the_value_once() {
    let bank = Arc::new(Bank::new("Ada's"));
    let view = view_of(Arc::clone(&bank));
    assert_eq!(Arc::strong_count(&bank), 2);
    let kept: Arc<dyn std::any::Any + Send + Sync> = bank.clone();
    drop(view);
    assert_eq!((Arc::strong_count(&bank), Arc::strong_count(&kept)), (2, 2));
}

#[test]
fn two_values_of_one_type_live_in_two_registries() {
    let (ada, bob) = (Arc::new(Bank::new("Ada's")), Arc::new(Bank::new("Bob's")));
    let (of_ada, of_bob) = (view_of(Arc::clone(&ada)), view_of(Arc::clone(&bob)));
    assert_eq!(answered(&of_ada, "name", "{}").1, "Ada's");
    assert_eq!(answered(&of_bob, "name", "{}").1, "Bob's");
    assert_eq!(answered(&of_bob, "refund", r#"{"order_id": "O-1", "amount": 5}"#).0, Status::Ok);
    assert_eq!((ada.refunds(), bob.refunds()), (0, 1));
}

struct Desk {
    opens: u8,
}

#[toolbox]
impl Desk {
    /// Tells when the desk opens, and whose it is.
    #[tool]
    fn opens(&self, #[state] clerk: Arc<Clerk>) -> String {
        format!("{} opens at {}", clerk.name, self.opens)
    }
}

struct Clerk {
    name: &'static str,
}

/// Greets.
trait Greets {
    type Greeting;
    fn greet(&self, whom: &str) -> Self::Greeting;
    fn polite() -> bool;
    fn later(&self) -> impl Future<Output = &'static str> + Send;
}

#[toolbox]
impl Greets for Clerk {
    type Greeting = String;

    /// Greets a person.
    #[tool]
    fn greet(&self, whom: &str) -> Self::Greeting {
        format!("{} greets {whom}", self.name)
    }

    /// Tells whether the clerk is polite.
    #[tool]
    fn polite() -> bool {
        true
    }

    /// Answers later.
    #[tool]
    async fn later(&self) -> &'static str {
        let name = &self.name;
        pause().await;
        name
    }
}

/// Answers.
#[tool]
fn ping(#[state] desk: &Desk) -> u8 {
    desk.opens
}

#[test]
fn toolboxes_of_types_and_traits_and_functions_share_a_registry() {
    let registry = Registry::builder()
        .toolbox(Desk { opens: 9 })
        .tools(tools![ping])
        .toolbox(Arc::new(Clerk { name: "Ada" }))
        .build()
        .unwrap();
    let view = registry.view(Caller::new("ann"));
    assert_eq!(view.visible(), ["opens", "ping", "greet", "polite", "later"]);
    // A toolbox is a state of its type, too.
    assert_eq!(answered(&view, "ping", "{}").1, "9");
    assert_eq!(answered(&view, "opens", "{}").1, "Ada opens at 9");
    assert_eq!(answered(&view, "greet", r#"{"whom": "Bob"}"#).1, "Ada greets Bob");
    assert_eq!(answered(&view, "polite", "{}").1, "true");
    assert_eq!(answered(&view, "later", "{}").1, "Ada");
    assert_eq!(Clerk { name: "Ada" }.greet("Bob"), "Ada greets Bob");
    assert!(Clerk::polite());
}

/// A trait object is a toolbox as any other type is.
trait Store: Send + Sync {
    fn stored(&self) -> u8;
}

impl Store for u8 {
    fn stored(&self) -> u8 {
        *self
    }
}

#[toolbox]
impl dyn Store {
    /// Counts what is stored.
    #[tool(check = if self.stored() > 0 { Ok(()) } else { Err(ToolError::business("empty")) })]
    fn count(&self) -> u8 {
        self.stored()
    }
}

#[test]
fn a_trait_object_is_a_toolbox_behind_its_arc() {
    let count = |store: Arc<dyn Store>| {
        let registry = Registry::builder().toolbox(store).build().unwrap();
        answered(&registry.view(Caller::new("ann")), "count", "{}")
    };
    assert_eq!(count(Arc::new(3_u8)), (Status::Ok, "3".to_owned()));
    assert_eq!(count(Arc::new(0_u8)), (Status::Rejected, "empty".to_owned()));
}

struct Till<C>(C);

#[toolbox]
impl Till<u8> {
    /// Counts the coins.
    #[tool]
    fn coins(&self) -> u8 {
        self.0
    }
}

#[test]
fn a_concrete_type_of_a_generic_one_is_a_toolbox() {
    let registry = Registry::builder().toolbox(Till(7_u8)).build().unwrap();
    assert_eq!(answered(&registry.view(Caller::new("ann")), "coins", "{}").1, "7");
}

struct Plain;

impl Plain {
    const LONG: &'static str = concat!("Pays. ", "Use it once.");
}

#[toolbox]
impl Plain {
    #![allow(clippy::unused_self)]

    #[tool(description = Self::LONG, title = "Payment", effect = "write", ledger = none("a test calls it again and again"), scopes("pay"))]
    fn pay(
        &self,
        /// How much.
        #[arg(minimum = 1, default = 5)]
        amount: u64,
        #[arg(description = concat!("For ", "whom."), rename = "for")] whom: Option<String>,
    ) -> Vec<u8> {
        vec![u8::try_from(amount).unwrap_or_default(); whom.map_or(1, |whom| whom.len())]
    }

    /// Is never there.
    #[cfg(any())]
    #[tool]
    fn gone(&self, amount: Unknown) {}

    /// Is there.
    #[cfg(not(any()))]
    #[tool(effect = "read")]
    #[deprecated]
    fn there(&self) {}
}

mod free {
    use toolkit::prelude::*;

    #[tool(description = super::Plain::LONG, title = "Payment", effect = "write", ledger = none("a test calls it again and again"), scopes("pay"))]
    pub fn pay(
        /// How much.
        #[arg(minimum = 1, default = 5)]
        amount: u64,
        #[arg(description = concat!("For ", "whom."), rename = "for")] whom: Option<String>,
    ) -> Vec<u8> {
        vec![u8::try_from(amount).unwrap_or_default(); whom.map_or(1, |whom| whom.len())]
    }
}

#[test]
fn a_method_and_the_same_function_read_alike() {
    let caller = || Caller::new("ann").scopes(["pay"]);
    let of_methods = Registry::builder().toolbox(Plain).build().unwrap().view(caller());
    let of_functions = Registry::builder().tools(tools![free::pay]).build().unwrap().view(caller());
    // `#[cfg]` takes a tool out, as it takes the method out.
    assert_eq!(of_methods.visible(), ["pay", "there"]);
    assert_eq!(of_methods.tools()[0], of_functions.tools()[0]);
    assert_eq!(of_methods.effect_of("pay"), Some(Effect::Write));
    for arguments in ["{}", r#"{"for": "ann", "amount": 3.0}"#, r#"{"amount": 0, "whom": 3}"#] {
        assert_eq!(
            answered(&of_methods, "pay", arguments),
            answered(&of_functions, "pay", arguments)
        );
    }
}

#[test]
fn a_method_is_held_to_its_schema_without_a_value() {
    for tool in Tool::all_of::<Bank>() {
        agree(tool, 200);
    }
    let [pay, _] = <[Tool; 2]>::try_from(Tool::all_of::<Plain>()).unwrap();
    let case = Trial::of(pay).unwrap().case(r#"{"for": null}"#);
    assert_eq!(case.normal_form, Some(json!({})));
    assert_eq!(case.gate.unwrap(), json!({"amount": 5}));
}

#[test]
fn a_few_tools_of_a_toolbox_are_given_their_value_as_a_state() {
    let few = || Tool::all_of::<Bank>().into_iter().filter(|tool| tool.name() == "name");
    let registry = Registry::builder().tools(few()).state(Bank::new("Ada's")).build().unwrap();
    assert_eq!(answered(&registry.view(Caller::new("ann")), "name", "{}").1, "Ada's");

    let [fault] = <[String; 1]>::try_from(faults(Registry::builder().tools(few()))).unwrap();
    assert!(
        fault.starts_with(
            "tool `name`: it is a method of `toolbox::Bank` and there is none; add `.toolbox(…)` \
             with one, or with an `Arc` of one (toolbox at "
        ),
        "{fault}"
    );
}

#[test]
fn two_toolboxes_of_one_type_are_a_mistake() {
    assert_eq!(
        faults(Registry::builder().toolbox(Till(7_u8)).toolbox(Arc::new(Till(8_u8)))),
        ["two toolboxes of type `toolbox::Till<u8>` are given, and their tools have the same \
             names; keep one"]
    );
    let both = "a state and a toolbox of type `toolbox::Till<u8>` are given; keep the toolbox, \
                which is a state, too";
    assert_eq!(faults(Registry::builder().state(Till(7_u8)).toolbox(Till(8_u8))), [both]);
    assert_eq!(faults(Registry::builder().toolbox(Till(7_u8)).state(Till(8_u8))), [both]);
    let [fault] = <[String; 1]>::try_from(faults(
        Registry::builder().toolbox(Till(7_u8)).state(Arc::new(Till(8_u8))),
    ))
    .unwrap();
    assert!(
        fault.starts_with(
            "tool `coins`: it is a method of `toolbox::Till<u8>` and there are two, one as it is \
             and one in an `Arc`; keep one"
        ),
        "{fault}"
    );
}

struct Shop;

#[toolbox]
impl Shop {
    /// Tells when the shop opens.
    #[tool]
    fn opens() {}
}

#[test]
fn methods_of_one_name_clash_as_functions_do() {
    let builder =
        Registry::builder().toolbox(Desk { opens: 9 }).toolbox(Shop).state(Clerk { name: "Ada" });
    let [fault] = <[String; 1]>::try_from(faults(builder)).unwrap();
    assert!(
        fault.starts_with("tool `opens`: its name is taken already, by toolbox at "),
        "{fault}"
    );
    assert!(fault.contains("; rename one with `name = …`"), "{fault}");
}

#[test]
fn a_method_that_panics_fails_its_call_alone() {
    struct Fragile(u8);

    #[toolbox]
    impl Fragile {
        /// Breaks.
        #[tool]
        fn breaks(&self) -> u8 {
            assert_eq!(self.0, 0, "it broke");
            0
        }

        /// Holds.
        #[tool]
        fn holds(&self) -> u8 {
            self.0
        }
    }
    let view = Registry::builder().toolbox(Fragile(1)).build().unwrap().view(Caller::new("ann"));
    assert_eq!(answered(&view, "breaks", "{}").0, Status::Failed);
    assert_eq!(answered(&view, "holds", "{}"), (Status::Ok, "1".to_owned()));
}

#[tokio::test]
async fn calls_on_one_value_run_at_the_same_time() {
    struct Meeting(AtomicU64);

    #[toolbox]
    impl Meeting {
        /// Waits for the other one.
        #[tool]
        async fn meet(&self, name: &str) -> String {
            self.0.fetch_add(1, Ordering::Relaxed);
            for _ in 0..1_000 {
                if self.0.load(Ordering::Relaxed) == 2 {
                    return format!("{name} met the other one");
                }
                pause().await;
            }
            format!("{name} met nobody")
        }
    }
    let meeting = Meeting(AtomicU64::new(0));
    let view = Registry::builder().toolbox(meeting).build().unwrap().view(Caller::new("ann"));
    let meet = |name: &str| {
        let call = ToolCall::new("call_1", "meet", json!({"name": name}).to_string());
        view.dispatch(call, Options::default())
    };
    let (ada, bob) = tokio::join!(meet("ada"), meet("bob"));
    assert_eq!(ada.unwrap().text(), "ada met the other one");
    assert_eq!(bob.unwrap().text(), "bob met the other one");
}

#[test]
fn a_toolbox_can_be_asked_for_by_its_trait() {
    fn names<T: Toolbox + ?Sized>() -> Vec<String> {
        Tool::all_of::<T>().iter().map(|tool| tool.name().to_owned()).collect()
    }
    assert_eq!(names::<Desk>(), ["opens"]);
    assert_eq!(names::<dyn Store>(), ["count"]);
}

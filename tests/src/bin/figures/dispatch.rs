//! A read tool through the registry, beside decode, call and serialise by hand.

use serde::Deserialize;
use toolkit::prelude::*;
use toolkit::{Options, Registry, View};

use crate::Figure;
use crate::measure::{Contender, dispatched};

/// An order, as a tool returns it.
#[derive(Debug)]
#[arg_type]
struct Order {
    id: String,
    total: f64,
    paid: bool,
}

/// Looks up one order.
#[tool(effect = "read")]
fn get_order(
    /// The order's id, like O-4471.
    #[arg(min_length = 1, max_length = 20)]
    order_id: String,
    /// Whether to say more.
    detailed: Option<bool>,
) -> Order {
    Order { id: order_id, total: 49.5, paid: detailed.unwrap_or(true) }
}

/// Currency of a payment.
#[derive(Debug)]
#[arg_type]
enum Currency {
    EUR,
    GBP,
    USD,
}

/// Says what a payment would cost.
#[tool(effect = "read")]
fn quote_payment(
    /// How much to pay.
    #[arg(minimum = 0.01)]
    amount: f64,
    currency: Currency,
    /// Day to pay on, as YYYY-MM-DD.
    #[arg(format = "date")]
    pay_on: Option<String>,
) -> Order {
    let rate = match currency {
        Currency::EUR => 1.0,
        Currency::GBP => 1.2,
        Currency::USD => 0.9,
    };
    Order { id: pay_on.unwrap_or_default(), total: amount * rate, paid: false }
}

#[derive(Deserialize)]
struct GetOrder {
    order_id: String,
    detailed: Option<bool>,
}

#[derive(Deserialize)]
struct QuotePayment {
    amount: f64,
    currency: Currency,
    pay_on: Option<String>,
}

const SMALL: &str = r#"{"order_id":"O-4471","detailed":true}"#;
const MEDIUM: &str = r#"{"amount":19.99,"currency":"EUR","pay_on":"2026-12-01"}"#;

pub(crate) fn figures() -> Vec<Figure> {
    const OF: &str = "decode + call + serialise by hand";
    vec![
        Figure {
            name: "dispatch.small".to_owned(),
            of: OF,
            contender: through_registry("get_order", SMALL),
            floor: Box::new(|| {
                serde_json::from_str::<GetOrder>(SMALL)
                    .map(|a| get_order(a.order_id, a.detailed))
                    .and_then(|order| serde_json::to_string(&order))
                    .map_or(0, |text| text.len())
            }),
        },
        Figure {
            name: "dispatch.medium".to_owned(),
            of: OF,
            contender: through_registry("quote_payment", MEDIUM),
            floor: Box::new(|| {
                serde_json::from_str::<QuotePayment>(MEDIUM)
                    .map(|a| quote_payment(a.amount, a.currency, a.pay_on))
                    .and_then(|order| serde_json::to_string(&order))
                    .map_or(0, |text| text.len())
            }),
        },
    ]
}

fn through_registry(name: &'static str, arguments: &'static str) -> Contender {
    let registry = Registry::builder().tools(tools![get_order, quote_payment]).build();
    let view: View = registry.expect("the registry is right").view(Caller::new("figures"));
    let call = ToolCall::new("call_1", name, arguments);
    Box::new(move || dispatched(view.dispatch(&call, Options::default())))
}

//! The shop's rows: customers, orders, refunds, payments.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use toolkit::prelude::*;

/// Currency of an amount.
#[arg_type]
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::upper_case_acronyms, reason = "the codes are written in capitals")]
pub(crate) enum Currency {
    EUR,
    GBP,
    USD,
}

#[arg_type]
#[derive(Debug, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OrderStatus {
    Shipped,
    Delivered,
    Refunded,
}

/// A customer.
#[arg_type]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Customer {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) email: String,
}

/// An order.
#[arg_type]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Order {
    pub(crate) id: String,
    pub(crate) customer_id: String,
    pub(crate) item: String,
    pub(crate) total: f64,
    pub(crate) currency: Currency,
    pub(crate) status: OrderStatus,
}

/// A refund of an order.
#[arg_type]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refund {
    pub(crate) id: String,
    pub(crate) order_id: String,
    pub(crate) amount: f64,
    pub(crate) currency: Currency,
}

/// A payment to a customer.
#[arg_type]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Payment {
    pub(crate) id: String,
    pub(crate) amount: f64,
    pub(crate) currency: Currency,
    pub(crate) pay_on: String,
}

/// All rows, in the order of their ids.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Rows {
    pub(crate) customers: BTreeMap<String, Customer>,
    pub(crate) orders: BTreeMap<String, Order>,
    pub(crate) refunds: Vec<Refund>,
    pub(crate) payments: Vec<Payment>,
}

/// An embedded store that lives as long as the program.
#[derive(Debug)]
pub(crate) struct Shop(Mutex<Rows>);

impl Shop {
    /// A shop with two customers and five orders.
    pub(crate) fn open() -> Self {
        let mut rows = Rows::default();
        for (id, name, email) in
            [("C-1", "Ada Young", "ada@example.com"), ("C-2", "Ben Ortiz", "ben@example.com")]
        {
            let customer =
                Customer { id: id.to_owned(), name: name.to_owned(), email: email.to_owned() };
            rows.customers.insert(id.to_owned(), customer);
        }
        for (id, customer, item, total, status) in [
            ("O-1001", "C-1", "desk lamp", 80.0, OrderStatus::Delivered),
            ("O-1002", "C-1", "armchair", 620.0, OrderStatus::Delivered),
            ("O-1003", "C-1", "sofa", 1450.0, OrderStatus::Delivered),
            ("O-1004", "C-1", "bookshelf", 240.0, OrderStatus::Shipped),
            ("O-2001", "C-2", "rug", 130.0, OrderStatus::Refunded),
        ] {
            let order = Order {
                id: id.to_owned(),
                customer_id: customer.to_owned(),
                item: item.to_owned(),
                total,
                currency: Currency::EUR,
                status,
            };
            rows.orders.insert(id.to_owned(), order);
        }
        Self(Mutex::new(rows))
    }

    /// Does something with the rows; nobody else sees them meanwhile.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Rows) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

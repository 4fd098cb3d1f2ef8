use std::borrow::Cow;

use toolkit::prelude::*;

/// Finds.
#[tool]
fn nested<'a>(name: &'a Option<&'a str>, parts: Vec<&[u8]>) {
    let _ = (name, parts);
}

#[arg_type]
struct Order<'a> {
    id: &'a str,
}

/// Finds.
#[tool]
fn find(order: Order<'_>, text: Cow<'static, str>) {
    let _ = (order.id, text);
}

fn main() {}

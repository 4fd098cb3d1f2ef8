use toolkit::prelude::*;

#[tool]
fn without_a_word() {}

///
#[tool(effect = "read")]
fn with_an_empty_comment() {}

fn main() {}

use toolkit::prelude::*;

/// Pays.
#[tool(name = "pay out")]
fn pay() {}

/// Pays.
#[tool(name = "")]
fn nameless() {}

/// Pays.
#[tool]
fn zahlungsanweisung_an_den_empfänger() {}

/// Pays.
#[tool]
fn a_name_that_is_much_longer_than_the_sixty_four_characters_which_are_allowed() {}

/// Pays.
#[tool(scopes("", "pay", "pay"))]
fn scopes() {}

fn main() {}

use toolkit::prelude::*;

const BLANK: &str = " \n ";

#[tool(description = "  ")]
fn literal() {}

#[tool(description = BLANK)]
fn constant() {}

/// Adds.
#[tool(title = "")]
fn title(#[arg(description = "")] x: u8) {
    let _ = x;
}

#[tool(description = 5)]
fn number() {}

#[tool(description = NUMBER)]
fn constant_number() {}

const NUMBER: u8 = 5;


/// Adds.
#[tool]
fn constant_parameter(#[arg(description = BLANK)] x: u8) {
    let _ = x;
}

fn main() {}

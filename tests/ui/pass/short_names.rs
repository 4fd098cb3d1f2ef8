//! Names of one letter, and such as look like those of other items.

#![deny(warnings)]

use toolkit::prelude::*;

/// Is called like a type parameter.
#[tool]
fn t(t: u8, inp: u8, self_: u8) -> String {
    // The result's type is known where the function stands.
    (t + inp + self_).to_string().as_str().into()
}

mod other {
    use toolkit::prelude::*;

    /// Has the name of another tool, in another module.
    #[tool(name = "other-t")]
    pub(super) fn t(limit: Option<u8>) -> Option<u8> {
        limit
    }

    /// Has a parameter with a default, as its neighbour has.
    #[tool]
    pub(super) fn first(#[arg(default = 5)] limit: u8) -> u8 {
        limit
    }

    /// Has a parameter with a default, as its neighbour has.
    #[tool]
    pub(super) fn second(#[arg(default = 6)] limit: u8) -> u8 {
        limit
    }
}

fn main() {
    let tools = tools![t, other::t, other::first, other::second];
    let view = Registry::builder().tools(tools).build().unwrap().view(Caller::new("ann"));
    assert_eq!(view.visible(), ["t", "other-t", "first", "second"]);
}

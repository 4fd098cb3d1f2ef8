use toolkit::prelude::*;

#[arg_type]
struct Inner {
    a: u8,
}

#[arg_type]
struct Flat {
    #[serde(default, flatten)]
    inner: Option<Inner>,
}

#[arg_type]
struct Bounded {
    #[arg(minimum = 1)]
    a: u8,
}

#[arg_type]
#[derive(Debug, serde::Serialize, JsonSchema)]
struct Twice {
    a: u8,
}

#[arg_type]
union Either {
    a: u8,
    b: u8,
}

#[arg_type(name = "x")]
struct Named {
    a: u8,
}

#[arg_type]
fn function() {}

#[arg_type]
struct Cents(String);

/// Pays.
#[tool]
fn pay(flat: Flat, twice: Twice, bounded: Bounded, named: Named, #[arg(minimum = 1)] cents: Cents) -> Flat {
    let _ = (twice, bounded, named, cents);
    flat
}

fn main() {
    let _ = tools![pay];
}

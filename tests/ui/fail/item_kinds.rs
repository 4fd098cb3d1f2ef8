use toolkit::prelude::*;

#[arg_type]
struct Pair(u8, u8);

#[arg_type]
struct Unit;

#[arg_type]
enum Never {}

#[arg_type]
struct Open {
    id: u8,
    #[serde(flatten)]
    rest: std::collections::BTreeMap<String, String>,
}

#[arg_type]
struct Order {
    bank: std::rc::Rc<u8>,
    when: std::time::Instant,
}

fn main() {}

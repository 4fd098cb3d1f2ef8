use toolkit::prelude::*;

fn helper() {}

struct Thing;

fn main() {
    let _ = tools![helper];
    let _ = tools![Thing];
    let _ = helper();
}

use toolkit::prelude::*;

fn main() {
    let _ = Registry::builder().approver(|_: ApprovalRequest| Decision::Approved);
}

//! Toolboxes as people write them.

#![deny(warnings)]

use std::pin::Pin;
use std::sync::Arc;

use toolkit::{CallContext, Registry, Tool, ToolError, tool, toolbox};

/// What a user's own macro writes is a toolbox, too.
macro_rules! counter {
    ($name:ident, $ty:ty, $vis:vis $method:ident, $text:expr, $rule:expr) => {
        struct $name($ty);

        #[toolbox]
        impl $name {
            #[tool(description = $text, check = self.is_right($rule), approval = self.0 > $rule)]
            $vis fn $method(&self, more: $ty) -> $ty {
                self.0 + more
            }

            fn is_right(&self, most: $ty) -> Result<(), ToolError> {
                if self.0 < most { Ok(()) } else { Err(ToolError::business("too many")) }
            }
        }
    };
}

counter!(Sheep, u8, pub(crate) count, concat!("Counts ", "sheep."), 7);

struct Mixed {
    rows: Vec<String>,
}

#[toolbox]
impl Mixed {
    #![allow(dead_code)]

    /// A constant's value holds braces.
    pub const SIZE: usize = { 1 + 2 };

    /// Is no tool, generic as it is.
    pub fn each<T: Into<String>>(&mut self, rows: impl IntoIterator<Item = T>) {
        self.rows.extend(rows.into_iter().map(Into::into));
    }

    /// Lends to a tool what it owns.
    #[toolkit::tool]
    fn first<'a>(&'a self, _fallback: &str) -> Option<&'a str> {
        self.rows.first().map(|row| row.as_str())
    }

    /// Borrows across an await.
    #[tool(check = async { if self.rows.len() > 3 { later().await } Ok::<(), ToolError>(()) }.await)]
    pub async fn last(&self, #[context] _cx: &CallContext, tags: &[String]) -> String {
        let rows = self.rows.iter().chain(tags);
        later().await;
        rows.last().cloned().unwrap_or_default()
    }

    /// Returns `Self` in a list.
    #[tool]
    fn sizes(&self) -> [usize; Self::SIZE] {
        [self.rows.len(); Self::SIZE]
    }

    /// Belongs to the type.
    #[tool(check = self::inner::fine())]
    const fn size() -> usize {
        Self::SIZE
    }

    /// Is kept by what it starts.
    #[tool(approval(self.rows.is_empty() || Arc::strong_count(&self) > 9))]
    async fn keep(mut self: Arc<Self>) -> usize {
        self = Arc::clone(&self);
        later().await;
        self.rows.len()
    }
}

async fn later() {}

mod inner {
    use toolkit::prelude::*;

    pub(super) fn fine() -> Result<(), ToolError> {
        Ok(())
    }

    pub(super) struct Inner;

    #[toolbox]
    impl Inner {
        /// Is seen by nobody else.
        #[tool]
        fn hidden(&self) {}
    }
}

// Its methods box their futures, as attributes on traits write them.
struct Other;

trait Boxed {
    fn boxed<'a>(&'a self) -> Pin<Box<dyn Future<Output = u8> + Send + 'a>>;
    fn plain(&self) -> u8;
}

#[toolbox]
impl Boxed for Other {
    fn boxed<'a>(&'a self) -> Pin<Box<dyn Future<Output = u8> + Send + 'a>> {
        Box::pin(async { 1 })
    }

    /// Is a tool of the trait.
    #[tool]
    fn plain(&self) -> u8 {
        2
    }
}

fn main() {
    struct Local;

    #[toolbox]
    impl Local {
        /// Lives in a function's body.
        #[tool]
        fn local(&self) {}
    }

    let _ = Registry::builder().toolbox(Local).toolbox(Arc::new(inner::Inner));
    let _ = Tool::all_of::<Mixed>();
    let _ = (Mixed { rows: Vec::new() }.first(""), Mixed::size(), Sheep(3).count(4));
    let _ = (Other.boxed(), Other.plain());
}

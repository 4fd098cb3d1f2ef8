//! A registry that may be replaced while it is served.

use std::fmt;

use tokio::sync::watch;
use toolkit_core::{Registry, ToolConfigErrors};

use crate::dialect::Mcp;

/// A registry that may be replaced while it is served.
///
/// Clients are told that the list changed, and their next call meets the new registry; calls
/// that run end as they began.
///
/// ```
/// use toolkit::mcp::Live;
/// use toolkit::prelude::*;
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let live = Live::new(Registry::builder().build()?);
/// let server = toolkit::mcp::serve(live.clone());
/// live.replace(Registry::builder().tools(tools![add]).build()?)?;
/// assert_eq!(live.now().view(Caller::new("ann")).visible(), ["add"]);
/// # drop(server);
/// # Ok::<(), toolkit::ToolConfigErrors>(())
/// ```
#[derive(Clone)]
pub struct Live(watch::Sender<Registry>);

impl Live {
    /// Starts with a registry.
    #[must_use]
    pub fn new(registry: Registry) -> Self {
        Self(watch::Sender::new(registry))
    }

    /// The registry of now.
    #[must_use]
    pub fn now(&self) -> Registry {
        self.0.borrow().clone()
    }

    /// Puts another registry in its place.
    ///
    /// # Errors
    /// A tool has no form in MCP; then the old registry stays.
    pub fn replace(&self, registry: Registry) -> Result<(), ToolConfigErrors> {
        registry.check(&[&Mcp])?;
        self.0.send_replace(registry);
        Ok(())
    }

    /// Wakes whenever the registry was replaced.
    pub(super) fn changes(&self) -> watch::Receiver<Registry> {
        self.0.subscribe()
    }
}

impl From<Registry> for Live {
    fn from(registry: Registry) -> Self {
        Self::new(registry)
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Live").field(&*self.0.borrow()).finish()
    }
}

//! Who the agent acts for, and what a tool may know of the call.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Who the agent acts for: tenant, principal and scopes.
///
/// The host builds it from its own authentication. It can not be read from
/// arguments: it has no `Deserialize`.
///
/// ```
/// use toolkit::Caller;
///
/// let caller = Caller::new("ann").tenant("furniture").scopes(["payments:write"]);
/// assert_eq!(caller.principal(), "ann");
/// assert_eq!(caller.tenant_name(), Some("furniture"));
/// assert!(caller.granted().contains("payments:write"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    tenant: Option<String>,
    principal: String,
    scopes: Scopes,
}

impl Caller {
    /// Names the principal: a user, a service, an agent.
    pub fn new(principal: impl Into<String>) -> Self {
        Self { tenant: None, principal: principal.into(), scopes: Scopes::default() }
    }

    /// Names the tenant that the principal belongs to.
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = Some(tenant.into());
        self
    }

    /// Adds scopes, like `payments:write`.
    #[must_use]
    pub fn scopes<I>(mut self, scopes: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.scopes.0.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// The tenant, where there is one.
    #[must_use]
    pub fn tenant_name(&self) -> Option<&str> {
        self.tenant.as_deref()
    }

    /// The principal.
    #[must_use]
    pub fn principal(&self) -> &str {
        &self.principal
    }

    /// What the caller may do.
    #[must_use]
    pub const fn granted(&self) -> &Scopes {
        &self.scopes
    }
}

/// A set of scopes, in alphabetical order.
///
/// Scopes are compared byte for byte; none holds another.
///
/// ```
/// use toolkit::Caller;
///
/// let caller = Caller::new("ann").scopes(["payments:write", "orders:read"]);
/// assert_eq!(caller.granted().iter().collect::<Vec<_>>(), ["orders:read", "payments:write"]);
/// assert!(!caller.granted().contains("payments"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scopes(BTreeSet<String>);

impl Scopes {
    /// Whether the scope is in the set.
    #[must_use]
    pub fn contains(&self, scope: &str) -> bool {
        self.0.contains(scope)
    }

    /// Goes through the scopes.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// What a tool may know of the call it answers; a parameter with `#[context]`.
///
/// It is never in the schema and can not be filled from arguments.
///
/// ```
/// use toolkit::prelude::*;
///
/// /// Tells who asks.
/// #[tool]
/// fn who(#[context] cx: &CallContext) -> String {
///     let run = cx.run_id().unwrap_or("no run");
///     format!("{} in {run}, {}", cx.caller().principal(), cx.call_id())
/// }
///
/// let view = Registry::builder().tools(tools![who]).build()?.view(Caller::new("ann"));
/// let call = ToolCall::new("call_1", "who", "");
/// let outcome = view.dispatch_blocking(call, Options::default().run_id("run-7"))?;
/// assert_eq!(outcome.text(), "ann in run-7, call_1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct CallContext {
    caller: Arc<Caller>,
    call_id: Arc<str>,
    run_id: Option<Arc<str>>,
    /// The name of the call's row, where a ledger keeps it.
    key: OnceLock<Arc<str>>,
}

impl CallContext {
    pub(crate) const fn new(
        caller: Arc<Caller>,
        call_id: Arc<str>,
        run_id: Option<Arc<str>>,
    ) -> Self {
        Self { caller, call_id, run_id, key: OnceLock::new() }
    }

    /// Gives the call the name of its row.
    pub(crate) fn name(&self, key: String) {
        self.key.get_or_init(|| key.into());
    }

    /// Who the agent acts for.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The provider's id of the call.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// What the target is given to tell a repeated call from a new one: the same on every attempt
    /// of one call, and on no other call.
    ///
    /// It is the name of the call's row in the ledger, 64 hexadecimal digits; `None` where the
    /// ledger keeps no row of the tool's calls.
    ///
    /// ```
    /// use toolkit::prelude::*;
    /// use toolkit::ledger::MemoryLedger;
    ///
    /// /// Pays a bill.
    /// #[tool(effect = "write", on_unknown = "rerun_with_key")]
    /// fn pay(#[context] cx: &CallContext, bill: &str) -> String {
    ///     format!("Idempotency-Key: {}", cx.idempotency_key().unwrap_or("none"))
    /// }
    ///
    /// let registry = Registry::builder().tools(tools![pay]).ledger(MemoryLedger::new()).build()?;
    /// let call = ToolCall::new("call_1", "pay", r#"{"bill": "B-1"}"#);
    /// let outcome = registry.view(Caller::new("ann")).dispatch_blocking(call, Options::default())?;
    /// assert_eq!(outcome.text().len(), "Idempotency-Key: ".len() + 64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn idempotency_key(&self) -> Option<&str> {
        self.key.get().map(|key| &**key)
    }

    /// The host's id of the run that the call belongs to, where it gave one.
    #[must_use]
    pub fn run_id(&self) -> Option<&str> {
        self.run_id.as_deref()
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext")
            .field("caller", &self.caller)
            .field("call_id", &self.call_id)
            .field("run_id", &self.run_id)
            .field("key", &self.key)
            .finish()
    }
}

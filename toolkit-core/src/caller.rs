//! Who the agent acts for.

use std::collections::BTreeSet;

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

//! Who decides on a call, as the host knows them.

use std::collections::BTreeSet;

/// Who decides on a parked call, made by the host after its own authentication.
///
/// It can not be read from arguments, from a row or from any text: it has no `Deserialize`, and
/// no conversion makes one.
///
/// ```
/// use toolkit::ledger::Person;
///
/// let kim = Person::authenticated("kim", "web").tenant("furniture").scopes(["approvals:decide"]);
/// assert_eq!(kim.to_string(), "kim (web)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    name: String,
    channel: String,
    tenant: String,
    scopes: BTreeSet<String>,
}

impl Person {
    /// Names a person whom the host has authenticated, and the channel that they came by, like
    /// `web` or `cli`.
    pub fn authenticated(name: impl Into<String>, channel: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            channel: channel.into(),
            tenant: String::new(),
            scopes: BTreeSet::new(),
        }
    }

    /// Names the tenant that the person belongs to; they decide on nobody else's calls.
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = tenant.into();
        self
    }

    /// Adds what the person may do, like `approvals:decide`.
    #[must_use]
    pub fn scopes<I>(mut self, scopes: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.scopes.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// The name, as it stands beside a principal's.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How they came.
    #[must_use]
    pub fn channel(&self) -> &str {
        &self.channel
    }

    /// The tenant; empty where there is none.
    #[must_use]
    pub fn tenant_name(&self) -> &str {
        &self.tenant
    }

    /// Whether they may do it.
    #[must_use]
    pub fn holds(&self, scope: &str) -> bool {
        self.scopes.contains(scope)
    }
}

impl std::fmt::Display for Person {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.name, self.channel)
    }
}

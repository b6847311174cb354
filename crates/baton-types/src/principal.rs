//! Authenticated caller.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Caller of every command and view. Rows are visible only to their owner within a tenant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Principal {
    /// Organisation that owns the data.
    pub tenant: Arc<str>,
    /// Person or program within the tenant.
    pub subject: Arc<str>,
    /// Granted scopes, such as `call` or `call:weather`. Tasks of other owners are reported as not found whatever the
    /// scopes.
    #[serde(default)]
    pub scopes: Vec<Arc<str>>,
}

impl Principal {
    /// Owner of this Baton: its only user when it runs on loopback without authentication.
    pub fn local() -> Self {
        Self { tenant: "local".into(), subject: "local".into(), scopes: vec!["admin".into()] }
    }
}

//! Who is asking.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The caller of every command and view; rows are visible to their owner within a tenant only.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Principal {
    /// The organisation whose data this is.
    pub tenant: Arc<str>,
    /// The person or program inside it.
    pub subject: Arc<str>,
    /// What it may do, such as `call` or `call:weather`; whatever they say, tasks of others look missing.
    #[serde(default)]
    pub scopes: Vec<Arc<str>>,
}

impl Principal {
    /// The owner of this Baton: its only user when it runs on loopback without authentication.
    pub fn local() -> Self {
        Self { tenant: "local".into(), subject: "local".into(), scopes: vec!["admin".into()] }
    }
}

//! Whether services that models are reached through can be used.

use crate::BoxFuture;
use baton_types::AgentKit;

/// Asks a service for its models, as an agent reaches it.
pub trait ProviderProbe: Send + Sync + 'static {
    /// Their ids, or why the service cannot be used; no secret is in the reason.
    fn models<'a>(&'a self, provider: &'a str, kit: &'a AgentKit) -> BoxFuture<'a, Result<Vec<String>, String>>;
}

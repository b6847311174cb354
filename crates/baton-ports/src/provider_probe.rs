//! Checks of model providers.

use crate::BoxFuture;
use baton_types::AgentResources;

/// Lists the models of a provider with an agent's settings.
pub trait ProviderProbe: Send + Sync + 'static {
    /// The model ids, or the reason for the failure, without secrets.
    fn models<'a>(
        &'a self,
        provider: &'a str,
        resources: &'a AgentResources,
    ) -> BoxFuture<'a, Result<Vec<String>, String>>;
}

//! Live check of providers.

use crate::ModelRegistry;
use baton_ports::{BoxFuture, ProviderProbe};
use baton_types::{AgentResources, KnownProvider, ProviderBackend};
use std::time::Duration;

/// Timeout for listing the models of a provider.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);

impl ProviderProbe for ModelRegistry {
    fn models<'a>(
        &'a self,
        provider: &'a str,
        resources: &'a AgentResources,
    ) -> BoxFuture<'a, Result<Vec<String>, String>> {
        Box::pin(async move {
            if KnownProvider::find(provider).is_some_and(|known| known.backend == ProviderBackend::Playbook) {
                return Ok(Vec::new());
            }
            let reached = self.provider(provider, resources).map_err(|error| error.to_string())?;
            match tokio::time::timeout(LIST_TIMEOUT, reached.list()).await {
                Ok(Ok(listed)) => Ok(listed.into_iter().map(|model| model.id).collect()),
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err("it did not answer in time".to_owned()),
            }
        })
    }
}

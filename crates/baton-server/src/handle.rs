//! A handle of a server, for the program that runs it.

use crate::{ModelSummary, ServerError, components::ServerComponents, models, now};
use baton_manage::Manager;
use baton_models::PlaybookReport;
use baton_ports::{TokenIssuer as _, TokenRecord, UnusableEntry};
use baton_types::{AgentListing, AgentResources};
use std::{fmt, sync::Arc};

/// A handle of a server; clones refer to the same server. It does not keep the server open.
#[derive(Clone)]
pub struct ServerHandle {
    components: Arc<ServerComponents>,
}

impl fmt::Debug for ServerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerHandle").finish_non_exhaustive()
    }
}

/// Result of a reload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReloadSummary {
    /// Entries that cannot be used.
    pub unusable: Vec<UnusableEntry>,
    /// The default model.
    pub model: String,
}

impl ServerHandle {
    pub(crate) fn new(components: ServerComponents) -> Self {
        Self { components: Arc::new(components) }
    }

    pub(crate) fn components(&self) -> &ServerComponents {
        &self.components
    }

    /// Listing entries of all agents.
    pub fn agents(&self) -> Vec<Arc<AgentListing>> {
        self.components.engine.listed_agents()
    }

    /// Manager of the agents that are not part of the program.
    pub fn manager(&self) -> Manager {
        Manager::new(self.components.locals.repository())
    }

    /// Summary of the models in use.
    pub fn model_summary(&self) -> Result<ModelSummary, ServerError> {
        models::summarize(&self.components.models, &*self.components.agents)
    }

    /// Detects the models of this machine and environment.
    pub async fn detect_models(&self) {
        self.components.models.detect().await;
    }

    /// Detects models and reads the agents again.
    pub async fn reload(&self) -> ReloadSummary {
        let parts = &self.components;
        parts.models.detect().await;
        let unusable = parts.agents.refresh().await;
        let found = parts.models.candidates(&AgentResources::default());
        let model = found.first().map_or("playbook", |found| found.model.as_str()).to_owned();
        ReloadSummary { unusable, model }
    }

    /// Number of tokens that are neither revoked nor expired.
    pub fn valid_tokens(&self) -> usize {
        let now = now();
        let valid = |token: &TokenRecord| token.revoked_at.is_none() && token.expires_at.is_none_or(|at| at > now);
        self.components.tokens.list().iter().filter(|token| valid(token)).count()
    }

    /// Use of the playbook rules, and model calls without a matching rule.
    pub fn playbook_report(&self) -> PlaybookReport {
        self.components.playbooks.report()
    }

    /// Waits until the unfinished runs of an earlier process are resumed, and returns their number; none if the server
    /// stops first.
    pub async fn recovered_runs(&self) -> Option<usize> {
        let mut recovery = self.components.recovery.subscribe();
        let recovered = async { recovery.wait_for(Option::is_some).await.ok().and_then(|runs| *runs) };
        self.components.stopping.run_until_cancelled(recovered).await.flatten()
    }

    /// Ends streams and accepts no more work.
    pub(crate) fn stop(&self) {
        self.components.engine.stop();
        self.components.stopping.cancel();
    }
}

//! The agent behind an Environment, with the state cached between requests.

use super::{EnvironmentPorts, relay::severity, view::AgentView};
use crate::EndpointContext;
use baton_toolhost::ServerEvent;
use baton_types::{AgentName, AgentResources, AgentSpec, CallId, Principal};
use parking_lot::Mutex;
use rmcp::{ErrorData, model::LoggingLevel};
use std::sync::Arc;
use tokio::sync::broadcast::{Receiver, error::TryRecvError};

/// One agent, shared by all its sessions and requests.
pub(super) struct EnvironmentAgent {
    pub(super) name: AgentName,
    pub(super) endpoint: String,
    pub(super) ports: EnvironmentPorts,
    pub(super) common: EndpointContext,
    cache: Mutex<Option<CachedView>>,
    /// The most verbose log level requested by any session.
    most_verbose: Mutex<Option<LoggingLevel>>,
}

/// Cached view, with the event receiver that invalidates it.
struct CachedView {
    view: Arc<AgentView>,
    events: Option<Receiver<ServerEvent>>,
}

impl EnvironmentAgent {
    pub(super) fn new(name: AgentName, ports: EnvironmentPorts, common: EndpointContext) -> Self {
        let endpoint = format!("agents/{name}");
        let (cache, most_verbose) = (Mutex::default(), Mutex::default());
        Self { name, endpoint, ports, common, cache, most_verbose }
    }

    /// The current definition and resources.
    pub(super) fn current(&self) -> Option<(Arc<AgentSpec>, Arc<AgentResources>)> {
        let spec = self.ports.agents.agent(&self.name)?;
        // A remote agent serves its resources itself, to its own callers; the credentials of this Baton are not shared.
        let resources = if spec.is_peer() { Arc::default() } else { self.ports.agents.agent_resources(&self.name) };
        Some((spec, resources))
    }

    /// The cached view, if it is still valid.
    pub(super) fn cached_view(&self) -> Option<Arc<AgentView>> {
        let (spec, resources) = self.current()?;
        self.cached_view_for(&spec, &resources)
    }

    fn cached_view_for(&self, spec: &Arc<AgentSpec>, resources: &Arc<AgentResources>) -> Option<Arc<AgentView>> {
        let mut cached = self.cache.lock();
        let CachedView { view, events } = cached.as_mut()?;
        let same = Arc::ptr_eq(&view.spec, spec) && Arc::ptr_eq(&view.resources, resources);
        (same && events.as_mut().is_none_or(tools_unchanged)).then(|| Arc::clone(view))
    }

    /// The current view; rebuilt if the cache is stale.
    pub(super) async fn view(&self) -> Result<Arc<AgentView>, ErrorData> {
        let Some((spec, resources)) = self.current() else { return Err(self.removed_error()) };
        if let Some(view) = self.cached_view_for(&spec, &resources) {
            return Ok(view);
        }
        let (mut events, mut offered) = (None, Vec::new());
        if !resources.servers.is_empty() {
            // Subscribes before listing, so that no change is missed.
            events = Some(self.ports.servers.events(&self.name));
            offered = self.ports.servers.tools(&spec, self.common.limits.list_timeout).await;
        }
        let view = Arc::new(AgentView::new(&spec, resources, offered));
        *self.cache.lock() = Some(CachedView { view: Arc::clone(&view), events });
        Ok(view)
    }

    pub(super) fn removed_error(&self) -> ErrorData {
        ErrorData::invalid_request(format!("the agent '{}' is no longer served", self.name), None)
    }

    /// Id for a call that belongs to no task. Tools may use it as an idempotency key, so it is never reused.
    pub(super) fn next_call(&self) -> CallId {
        CallId::from(format!("mcp-{}", self.ports.ids.next_id()))
    }

    /// Caller identity for MCP servers, so that no caller can continue a call of another.
    pub(super) fn caller_key(&self, principal: &Principal) -> String {
        format!("{}\u{1f}{}\u{1f}{}", self.endpoint, principal.tenant, principal.subject)
    }

    /// Whether a level is more verbose than any requested so far, so that servers must be updated.
    pub(super) fn raise_verbosity(&self, level: LoggingLevel) -> bool {
        let mut loudest = self.most_verbose.lock();
        let louder = loudest.is_none_or(|loudest| severity(level) < severity(loudest));
        if louder {
            *loudest = Some(level);
        }
        louder
    }
}

/// Whether no event changed the list of tools.
fn tools_unchanged(events: &mut Receiver<ServerEvent>) -> bool {
    loop {
        match events.try_recv() {
            Ok(ServerEvent::Tools) | Err(TryRecvError::Lagged(_) | TryRecvError::Closed) => return false,
            Ok(_) => {}
            Err(TryRecvError::Empty) => return true,
        }
    }
}

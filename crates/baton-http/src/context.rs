//! State that all surfaces share.

use crate::{
    BodyReader, HttpOptions, LargeRequests, OwnershipLookup, Shares,
    auth::{Caller, PrincipalRateLimiter},
    error_format::{ErrorFormat, ErrorFormats},
};
use baton_api::{ApiError, ApiErrorKind};
use baton_ports::AgentSource;
use baton_rules::Access;
use baton_types::{AgentListing, AgentName, AgentSpec, ErrorCode};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// State that all surfaces share: options, limits and the served agents.
pub struct HttpContext {
    /// Limits, addresses and access control.
    pub options: HttpOptions,
    /// Reads request bodies within the limits.
    pub bodies: BodyReader,
    /// Runs work on large bodies off the request threads.
    pub large_requests: LargeRequests,
    /// Open streams.
    pub streams: Shares,
    /// Rate limits per caller; `None` if unlimited.
    pub rates: Option<PrincipalRateLimiter>,
    /// Error formats of all protocols.
    pub formats: ErrorFormats,
    pub(crate) agents: Arc<dyn AgentSource>,
    pub(crate) ownership: Arc<dyn OwnershipLookup>,
    /// Bounds concurrent checks whether a missing resource belongs to another principal.
    pub(crate) lookups: Arc<Semaphore>,
}

/// Maximum concurrent ownership lookups for missing resources.
const MAX_OWNERSHIP_LOOKUPS: usize = 256;

/// Minimum streams per principal in a small pool.
const MIN_SHARE: usize = 16;

impl HttpContext {
    /// Shared state for surfaces over these agents.
    pub fn new(
        options: HttpOptions,
        formats: Vec<Arc<dyn ErrorFormat>>,
        agents: Arc<dyn AgentSource>,
        ownership: Arc<dyn OwnershipLookup>,
    ) -> Arc<Self> {
        let large_requests = LargeRequests::new();
        Arc::new(Self {
            bodies: BodyReader::new(&options, large_requests.clone()),
            streams: share_pool(&options, options.max_streams),
            rates: options.access.rate.map(PrincipalRateLimiter::new),
            lookups: Arc::new(Semaphore::new(MAX_OWNERSHIP_LOOKUPS)),
            formats: ErrorFormats::new(formats),
            large_requests,
            options,
            agents,
            ownership,
        })
    }

    /// A further pool of `total` units, with the share per principal of the streams.
    pub fn share_pool(&self, total: usize) -> Shares {
        share_pool(&self.options, total)
    }

    /// The agent, if exactly one local agent exists. Remote agents do not count.
    pub fn sole_agent(&self) -> Option<Arc<AgentSpec>> {
        self.agents.sole_local_agent()
    }

    /// The agent with this name.
    pub fn agent(&self, name: &str) -> Option<Arc<AgentSpec>> {
        self.agents.agent(&name.into())
    }

    /// Agent of a request whose path names none: the tenant, or else the only agent.
    pub fn resolve_agent(&self, caller: &Caller, tenant: Option<&str>) -> Result<AgentName, ApiError> {
        let agent = match tenant {
            Some(tenant) => {
                // A caller without read access must not learn whether the agent exists.
                caller.check_access(self, Access::Read, Some(&tenant.into()))?;
                self.agent(tenant)
            }
            None => {
                caller.check_access(self, Access::Read, None)?;
                self.sole_agent()
            }
        };
        agent.map(|agent| agent.name.clone()).ok_or_else(|| self.no_such_agent_for(caller, tenant))
    }

    /// Agents that are visible to the caller.
    pub fn agents_for(&self, caller: &Caller) -> Vec<Arc<AgentListing>> {
        let mut agents = self.agents.listings();
        if self.options.access.private_cards {
            agents.retain(|agent| caller.may_read(&agent.name));
        }
        agents
    }

    /// Error for a missing agent. Its message lists the agents that are visible to the caller.
    pub fn no_such_agent_for(&self, caller: &Caller, name: Option<&str>) -> ApiError {
        no_such_agent(&self.agents_for(caller), name)
    }

    /// Error for a missing agent. Its message lists the served agents.
    pub fn no_such_agent(&self, name: Option<&str>) -> ApiError {
        no_such_agent(&self.agents.listings(), name)
    }
}

fn share_pool(options: &HttpOptions, total: usize) -> Shares {
    Shares::with_percent(total, options.principal_share, MIN_SHARE)
}

fn no_such_agent(agents: &[Arc<AgentListing>], name: Option<&str>) -> ApiError {
    let names: Vec<&str> = agents.iter().take(20).map(|agent| agent.name.as_str()).collect();
    let served = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let message = match name {
        Some(name) => {
            let name: String = name.chars().take(64).collect();
            format!("there is no agent '{name}'; served: {served}")
        }
        None => format!("{} agents are served, so name one: /agents/NAME; served: {served}", agents.len()),
    };
    ApiError::new(ApiErrorKind::AgentNotFound, ErrorCode::AGENT_NOT_FOUND, message)
}

//! Access to the Environments of remote agents, with the client and the credential of the agent.

use crate::GuardedClient;
use baton_ports::{BoxFuture, PeerRegistryError};
use baton_types::AgentName;
use http::request::Parts;
use std::{fmt, sync::Arc, time::Duration};

/// Caller authentication at a server without OAuth login.
pub trait RequestAuthenticator: Send + Sync + 'static {
    /// Adds the credential to an outgoing request, for the origin of its URI. On error the request is not sent.
    fn apply<'a>(&'a self, request: &'a mut Parts) -> BoxFuture<'a, Result<(), String>>;

    /// Handles a rejected credential; `true` when one retry with another credential is possible.
    fn handle_rejection(&self) -> BoxFuture<'_, bool>;
}

/// Access to the services of a remote agent besides A2A, with the same limits and credential.
#[derive(Clone)]
pub struct EnvironmentAccess {
    /// Checks every address as for the agent itself; follows no redirect to another origin.
    pub client: GuardedClient,
    /// Adds the credential.
    pub authenticator: Arc<dyn RequestAuthenticator>,
}

impl fmt::Debug for EnvironmentAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvironmentAccess").finish_non_exhaustive()
    }
}

/// The Environments of known remote agents.
pub trait EnvironmentRegistry: Send + Sync + 'static {
    /// URL of an agent's Environment.
    fn environment_url(&self, agent: &AgentName) -> Option<String>;

    /// Access to an agent's Environment, with this request timeout.
    fn environment_access(&self, agent: &AgentName, timeout: Duration) -> Result<EnvironmentAccess, PeerRegistryError>;
}

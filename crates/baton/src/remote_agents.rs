//! Remote agents that a command calls directly.

use crate::{config::BatonSettings, error_codes, failure::CliError};
use baton_api::{AgentDetails, RemoteEntry};
use baton_orchestrator::{Orchestrator, OrchestratorLimits};
use baton_outbound::Target;
use baton_peers::{Credential, PeerConfig, SecretRef};
use baton_ports::PeerRecord;
use baton_types::ModelSpec;
use std::time::Duration;

/// Time limit of a call to a remote agent.
const MAX_REMOTE_CALL_DURATION: Duration = Duration::from_secs(24 * 60 * 60);

/// Whether an agent is given by URL.
pub(crate) fn is_address(agent: &str) -> bool {
    agent.starts_with("http://") || agent.starts_with("https://")
}

/// Orchestrator that calls the agent at a URL and runs the tools that it delegates to its caller, with the peer
/// configuration for that URL. Its tools may hand work to allowed agents (by name of a configured peer or by URL) and
/// to agents of the same origin without a configured credential.
pub(crate) fn remote_orchestrator(
    url: &str,
    bearer: Option<SecretRef>,
    allowed: &[String],
    settings: &BatonSettings,
) -> Result<Orchestrator, CliError> {
    let mut config = peer_config(url, settings);
    if let Some(bearer) = bearer {
        config.credential = Credential::Bearer(bearer);
    }
    config.credential.check().map_err(|error| CliError::new(error.code(), error.to_string()))?;
    // The first match wins: the credential of the command line takes precedence over the configuration.
    let peers = std::iter::once(config).chain(settings.peers.iter().cloned());
    let limits = OrchestratorLimits { deadline: MAX_REMOTE_CALL_DURATION, ..OrchestratorLimits::default() };
    let orchestrator = peers.fold(Orchestrator::new().limits(limits), Orchestrator::peer);
    allowed.iter().try_fold(orchestrator, |orchestrator, peer| Ok(orchestrator.allow(peer_address(peer, settings)?)))
}

/// Resolves a value of `--allow-peer` to a URL.
fn peer_address(written: &str, settings: &BatonSettings) -> Result<String, CliError> {
    if is_address(written) {
        return match Target::parse(written) {
            Ok(_) => Ok(written.to_owned()),
            Err(error) => Err(CliError::new(error_codes::USAGE, format!("--allow-peer {written}: {error}"))
                .hint("Give the URL of the agent or of its origin.")),
        };
    }
    let named = settings.peers.iter().find(|peer| peer.name.as_ref().is_some_and(|name| name.as_str() == written));
    named.map(|peer| peer.url.clone()).ok_or_else(|| {
        CliError::new(error_codes::USAGE, format!("--allow-peer {written}: no peer of baton.yaml has this name"))
            .hint("Name an entry of peers, or give the URL of the agent.")
    })
}

/// Reads the agent card at a URL.
pub(crate) async fn discover(url: &str, settings: &BatonSettings) -> Result<AgentDetails, CliError> {
    Ok(details(&baton_server::discover_peer(peer_config(url, settings)).await?))
}

/// The configuration of the peer at a URL.
pub(crate) fn peer_config(url: &str, settings: &BatonSettings) -> PeerConfig {
    let same = |peer: &&PeerConfig| peer.url.trim_end_matches('/') == url.trim_end_matches('/');
    settings.peers.iter().find(same).cloned().unwrap_or_else(|| PeerConfig::at(url))
}

/// The endpoint is that of the remote agent, because it is not served here.
fn details(peer: &PeerRecord) -> AgentDetails {
    let url = match &peer.agent.model {
        ModelSpec::Peer { url, .. } => url.clone(),
        ModelSpec::Playbook { .. } => peer.card_url.clone(),
    };
    AgentDetails {
        url: peer.endpoint.clone(),
        card_url: peer.card_url.clone(),
        remote: Some(RemoteEntry {
            url,
            card_url: peer.card_url.clone(),
            binding: peer.protocol.clone(),
            endpoint: peer.endpoint.clone(),
            security: peer.security.clone(),
            signatures: peer.signatures.clone(),
            signed_by: peer.signed_by.clone(),
            configured: peer.configured,
        }),
        ..AgentDetails::from_spec(&peer.agent, "")
    }
}

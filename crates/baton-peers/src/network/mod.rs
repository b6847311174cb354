//! Access to peers over the network: discovers and verifies cards, and chooses an interface.

mod http_client;
mod signatures;
mod typed_host;

pub use typed_host::TypedHostConnector;

use crate::{
    CardReadOutcome, ChosenInterface, DiscoverError, DiscoveredCard, DiscoveryOptions, FetchedCard, PeerConfig,
    PeerConnector, PeerInterface, choose_interface, connect, discover, error_codes, refresh,
};
use baton_outbound::EnvironmentAccess;
use baton_ports::{BoxFuture, PeerRegistryError};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::AgentCard;
use http_client::PeerHttpClient;
use parking_lot::Mutex;
use std::{collections::VecDeque, fmt, sync::Arc, time::Duration};

/// Maximum number of peers with cached clients and tokens.
const MAX_CACHED_CLIENTS: usize = 256;

/// Reads cards and creates bindings within the limits of each peer's configuration.
pub struct NetworkConnector {
    allow: Vec<String>,
    clients: Mutex<VecDeque<(PeerConfig, Arc<PeerHttpClient>)>>,
}

impl NetworkConnector {
    /// `allow` lists private addresses and names that may be called for every peer, as in `push.allow`.
    pub fn new(allow: Vec<String>) -> Self {
        Self { allow, clients: Mutex::default() }
    }

    /// The cached client of a peer.
    fn peer_client(&self, config: &PeerConfig) -> Result<Arc<PeerHttpClient>, PeerRegistryError> {
        if let Some((_, line)) = self.clients.lock().iter().find(|(known, _)| known == config) {
            return Ok(Arc::clone(line));
        }
        let line = Arc::new(PeerHttpClient::open(config, &self.allow)?);
        let mut lines = self.clients.lock();
        if lines.len() == MAX_CACHED_CLIENTS {
            lines.pop_front();
        }
        lines.push_back((config.clone(), Arc::clone(&line)));
        Ok(line)
    }

    async fn read(
        &self,
        config: &PeerConfig,
        last: Option<&FetchedCard>,
    ) -> Result<CardReadOutcome, PeerRegistryError> {
        config.credential.check().map_err(|error| refusal(error.code(), error.to_string()))?;
        let line = self.peer_client(config)?;
        let looking = DiscoveryOptions { hosts: config.hosts.clone(), authorize: line.authorize.clone() };
        let found = match last {
            Some(last) => match refresh(&line.client, &last.url, last.etag.as_deref(), &looking).await {
                Ok(Some(found)) => found,
                Ok(None) => return Ok(CardReadOutcome::Unchanged),
                Err(error @ DiscoverError::Unreachable(_)) => return Err(not_found(&error)),
                // The card may have moved.
                Err(_) => discover(&line.client, &config.url, &looking).await.map_err(|error| not_found(&error))?,
            },
            None => discover(&line.client, &config.url, &looking).await.map_err(|error| not_found(&error))?,
        };
        let (card, signed_by) = signatures::verify_signature(&line.client, config, &found).await?;
        let DiscoveredCard { url, etag, .. } = found;
        Ok(CardReadOutcome::Read(Box::new(FetchedCard { card, url, etag, signed_by })))
    }
}

impl PeerConnector for NetworkConnector {
    fn read_card<'a>(
        &'a self,
        config: &'a PeerConfig,
        last: Option<&'a FetchedCard>,
    ) -> BoxFuture<'a, Result<CardReadOutcome, PeerRegistryError>> {
        Box::pin(self.read(config, last))
    }

    fn bind(&self, config: &PeerConfig, card: &AgentCard) -> Result<PeerInterface, PeerRegistryError> {
        let chosen: ChosenInterface = choose_interface(&card.supported_interfaces, config.binding)
            .map_err(|error| refusal(error_codes::PEER_CARD_INVALID, error.to_string()))?;
        let line = self.peer_client(config)?;
        let binding = connect(&chosen, &line.client, line.authorize.clone())
            .map_err(|error| refusal(error_codes::PEER_UNTRUSTED, error.to_string()))?;
        Ok(PeerInterface {
            binding,
            endpoint: chosen.interface.url.clone(),
            protocol: chosen.binding.card_name().to_owned(),
            version: chosen.dialect.to_string(),
        })
    }

    fn environment_access(
        &self,
        config: &PeerConfig,
        timeout: Duration,
    ) -> Result<EnvironmentAccess, PeerRegistryError> {
        config.credential.check().map_err(|error| refusal(error.code(), error.to_string()))?;
        self.peer_client(config)?.environment_access(timeout)
    }
}

impl fmt::Debug for NetworkConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkConnector").field("allow", &self.allow).finish_non_exhaustive()
    }
}

fn not_found(error: &DiscoverError) -> PeerRegistryError {
    refusal(error.code(), error.to_string())
}

fn refusal(code: ErrorCode, detail: String) -> PeerRegistryError {
    PeerRegistryError { code, detail }
}

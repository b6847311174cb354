//! Access to peers over the network: discovers and verifies cards, and chooses an interface.

mod line;
mod signatures;
mod typed;

pub use typed::TypedHosts;

use crate::{
    Bound, CardRead, Chosen, DiscoverError, Discovered, Door, Looking, PeerConfig, Reach, ReadCard, choose, connect,
    discover, refresh,
};
use baton_ports::{BoxFuture, PeerRegistryError};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::AgentCard;
use line::Line;
use parking_lot::Mutex;
use std::{collections::VecDeque, fmt, sync::Arc, time::Duration};

/// Maximum number of peers with cached clients and tokens.
const MOST: usize = 256;

/// Reads cards and creates bindings within the limits of each peer's configuration.
pub struct Network {
    allow: Vec<String>,
    lines: Mutex<VecDeque<(PeerConfig, Arc<Line>)>>,
}

impl Network {
    /// `allow` lists private addresses and names that may be called for every peer, as in `push.allow`.
    pub fn new(allow: Vec<String>) -> Self {
        Self { allow, lines: Mutex::default() }
    }

    /// The cached client of a peer.
    fn line(&self, config: &PeerConfig) -> Result<Arc<Line>, PeerRegistryError> {
        if let Some((_, line)) = self.lines.lock().iter().find(|(known, _)| known == config) {
            return Ok(Arc::clone(line));
        }
        let line = Arc::new(Line::open(config, &self.allow)?);
        let mut lines = self.lines.lock();
        if lines.len() == MOST {
            lines.pop_front();
        }
        lines.push_back((config.clone(), Arc::clone(&line)));
        Ok(line)
    }

    async fn read(&self, config: &PeerConfig, last: Option<&ReadCard>) -> Result<CardRead, PeerRegistryError> {
        config.credential.check().map_err(|error| refusal(error.code(), error.to_string()))?;
        let line = self.line(config)?;
        let looking = Looking { hosts: config.hosts.clone(), authorize: line.authorize.clone() };
        let found = match last {
            Some(last) => match refresh(&line.client, &last.url, last.etag.as_deref(), &looking).await {
                Ok(Some(found)) => found,
                Ok(None) => return Ok(CardRead::Unchanged),
                Err(error @ DiscoverError::Unreachable(_)) => return Err(not_found(&error)),
                // The card may have moved.
                Err(_) => discover(&line.client, &config.url, &looking).await.map_err(|error| not_found(&error))?,
            },
            None => discover(&line.client, &config.url, &looking).await.map_err(|error| not_found(&error))?,
        };
        let (card, signed_by) = signatures::judged(&line.client, config, &found).await?;
        let Discovered { url, etag, .. } = found;
        Ok(CardRead::Read(Box::new(ReadCard { card, url, etag, signed_by })))
    }
}

impl Reach for Network {
    fn read_card<'a>(
        &'a self,
        config: &'a PeerConfig,
        last: Option<&'a ReadCard>,
    ) -> BoxFuture<'a, Result<CardRead, PeerRegistryError>> {
        Box::pin(self.read(config, last))
    }

    fn bind(&self, config: &PeerConfig, card: &AgentCard) -> Result<Bound, PeerRegistryError> {
        let chosen: Chosen = choose(&card.supported_interfaces, config.binding)
            .map_err(|error| refusal(ErrorCode::PEER_CARD_INVALID, error.to_string()))?;
        let line = self.line(config)?;
        let binding = connect(&chosen, &line.client, line.authorize.clone())
            .map_err(|error| refusal(ErrorCode::PEER_UNTRUSTED, error.to_string()))?;
        Ok(Bound {
            binding,
            endpoint: chosen.interface.url.clone(),
            protocol: chosen.binding.card_name().to_owned(),
            version: chosen.dialect.to_string(),
        })
    }

    fn door(&self, config: &PeerConfig, longest: Duration) -> Result<Door, PeerRegistryError> {
        config.credential.check().map_err(|error| refusal(error.code(), error.to_string()))?;
        self.line(config)?.patient(longest)
    }
}

impl fmt::Debug for Network {
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

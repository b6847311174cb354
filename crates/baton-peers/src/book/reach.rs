//! Reading a peer's card and connecting to the peer.

use crate::{Abilities, Authorize, Binding, Patience, PeerClient, PeerConfig, traced::Place};
use baton_outbound::GuardedClient;
use baton_ports::{BoxFuture, PeerRegistryError};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::AgentCard;
use std::{fmt, sync::Arc, time::Duration};

/// Access to peers: over the network, or scripted in tests.
pub trait Reach: Send + Sync + 'static {
    /// Reads the card; given the last one, only if it changed.
    fn read_card<'a>(
        &'a self,
        config: &'a PeerConfig,
        last: Option<&'a ReadCard>,
    ) -> BoxFuture<'a, Result<CardRead, PeerRegistryError>>;

    /// Chooses an interface of the card; sends nothing.
    fn bind(&self, config: &PeerConfig, card: &AgentCard) -> Result<Bound, PeerRegistryError>;

    /// Access to the peer's Environment, with this request timeout; sends nothing.
    fn door(&self, config: &PeerConfig, longest: Duration) -> Result<Door, PeerRegistryError> {
        let _ = longest;
        let detail = format!("the Environment of {} cannot be reached", config.url);
        Err(PeerRegistryError { code: ErrorCode::PEER_UNREACHABLE, detail })
    }
}

/// Access to the peer's services besides A2A, with the same limits and credential.
#[derive(Clone)]
pub struct Door {
    /// Checks every address as for the peer itself; follows no redirect to another origin.
    pub client: GuardedClient,
    /// Adds the credential.
    pub authorize: Arc<dyn Authorize>,
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvironmentAccess").finish_non_exhaustive()
    }
}

/// Result of reading a card.
#[derive(Clone, Debug)]
pub enum CardRead {
    /// The card has not changed.
    Unchanged,
    /// A new card.
    Read(Box<ReadCard>),
}

/// A card and its source.
#[derive(Clone, Debug)]
pub struct ReadCard {
    /// The card in the form of 1.0, whatever its original version.
    pub card: AgentCard,
    /// Its URL.
    pub url: String,
    /// ETag of the reply.
    pub etag: Option<String>,
    /// Id of the trusted key that signed it.
    pub signed_by: Option<String>,
}

/// A chosen interface of a peer.
#[derive(Clone)]
pub struct Bound {
    /// Client of the interface.
    pub binding: Arc<dyn Binding>,
    /// URL of the interface.
    pub endpoint: String,
    /// For example `JSONRPC`.
    pub protocol: String,
    /// For example `1.0`.
    pub version: String,
}

impl Bound {
    /// Creates a client that uses this interface.
    pub fn client(&self, config: &PeerConfig, card: &AgentCard) -> PeerClient {
        let patience = Patience { silence: config.patience, ..Patience::default() };
        let client = PeerClient::new(Arc::clone(&self.binding), Abilities::of(card, &self.version), patience);
        client.at(Place::new(&self.endpoint, &self.protocol, &self.version))
    }

    /// Binding and version, for display.
    pub fn spoken(&self) -> String {
        format!("{} {}", self.protocol, self.version)
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeerInterface({} at {})", self.spoken(), self.endpoint)
    }
}

impl PeerClient {
    /// Reads the card of an unregistered peer and creates a client.
    pub async fn connect(reach: &dyn Reach, config: &PeerConfig) -> Result<(Self, ReadCard), PeerRegistryError> {
        match reach.read_card(config, None).await? {
            CardRead::Read(read) => {
                let client = reach.bind(config, &read.card)?.client(config, &read.card);
                Ok((client, *read))
            }
            CardRead::Unchanged => Err(PeerRegistryError {
                code: ErrorCode::PEER_CARD_INVALID,
                detail: format!("{} answered that its card has not changed, but never sent it", config.url),
            }),
        }
    }
}

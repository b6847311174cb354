//! How a peer's card is read and how the peer is then spoken to.

use crate::{Abilities, Authorize, Binding, Patience, PeerClient, PeerConfig, traced::Place};
use baton_outbound::GuardedClient;
use baton_ports::{BoxFuture, PeerRegistryError};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::AgentCard;
use std::{fmt, sync::Arc, time::Duration};

/// The way to peers: the network, or a script.
pub trait Reach: Send + Sync + 'static {
    /// Reads the card; with the last one, only when it changed.
    fn read_card<'a>(
        &'a self,
        config: &'a PeerConfig,
        last: Option<&'a ReadCard>,
    ) -> BoxFuture<'a, Result<CardRead, PeerRegistryError>>;

    /// Chooses an interface of the card; nothing is sent.
    fn bind(&self, config: &PeerConfig, card: &AgentCard) -> Result<Bound, PeerRegistryError>;

    /// The way to the peer's Environment, for requests that may take this long; nothing is sent.
    fn door(&self, config: &PeerConfig, longest: Duration) -> Result<Door, PeerRegistryError> {
        let _ = longest;
        let detail = format!("there is no way to the Environment of {}", config.url);
        Err(PeerRegistryError { code: ErrorCode::PEER_UNREACHABLE, detail })
    }
}

/// How requests reach what a peer has beside A2A: within the same limits, and with what is shown to the peer.
#[derive(Clone)]
pub struct Door {
    /// Judges every address as for the peer itself, and follows no redirect to another origin.
    pub client: GuardedClient,
    /// Shows who is calling.
    pub authorize: Arc<dyn Authorize>,
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Door").finish_non_exhaustive()
    }
}

/// What came of reading a card.
#[derive(Clone, Debug)]
pub enum CardRead {
    /// It is as it was.
    Unchanged,
    /// Here it is.
    Read(Box<ReadCard>),
}

/// A card, and where it is from.
#[derive(Clone, Debug)]
pub struct ReadCard {
    /// The card, in the form of 1.0 whatever it was written in.
    pub card: AgentCard,
    /// Where it was found.
    pub url: String,
    /// What tells its version.
    pub etag: Option<String>,
    /// The key whose signature counts, when there is one.
    pub signed_by: Option<String>,
}

/// A peer at one of its addresses.
#[derive(Clone)]
pub struct Bound {
    /// The way there.
    pub binding: Arc<dyn Binding>,
    /// The address.
    pub endpoint: String,
    /// Such as `JSONRPC`.
    pub protocol: String,
    /// Such as `1.0`.
    pub version: String,
}

impl Bound {
    /// A client that speaks in this way.
    pub fn client(&self, config: &PeerConfig, card: &AgentCard) -> PeerClient {
        let patience = Patience { silence: config.patience, ..Patience::default() };
        let client = PeerClient::new(Arc::clone(&self.binding), Abilities::of(card, &self.version), patience);
        client.at(Place::new(&self.endpoint, &self.protocol, &self.version))
    }

    /// The binding and version, for people.
    pub fn spoken(&self) -> String {
        format!("{} {}", self.protocol, self.version)
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bound({} at {})", self.spoken(), self.endpoint)
    }
}

impl PeerClient {
    /// Reads the card of a peer that is in no book, and makes a client for it.
    pub async fn connect(reach: &dyn Reach, config: &PeerConfig) -> Result<(Self, ReadCard), PeerRegistryError> {
        match reach.read_card(config, None).await? {
            CardRead::Read(read) => {
                let client = reach.bind(config, &read.card)?.client(config, &read.card);
                Ok((client, *read))
            }
            CardRead::Unchanged => Err(PeerRegistryError {
                code: ErrorCode::PEER_CARD_INVALID,
                detail: format!("{} says that its card has not changed, without having given it", config.url),
            }),
        }
    }
}

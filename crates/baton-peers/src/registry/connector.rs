//! Reading a peer's card and connecting to the peer.

use crate::{Binding, PeerCapabilities, PeerClient, PeerConfig, RetryLimits, error_codes, traced::EndpointAttributes};
use baton_outbound::EnvironmentAccess;
use baton_ports::{BoxFuture, PeerRegistryError};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::AgentCard;
use std::{fmt, sync::Arc, time::Duration};

/// Access to peers: over the network, or scripted in tests.
pub trait PeerConnector: Send + Sync + 'static {
    /// Reads the card; given the last one, only if it changed.
    fn read_card<'a>(
        &'a self,
        config: &'a PeerConfig,
        last: Option<&'a FetchedCard>,
    ) -> BoxFuture<'a, Result<CardReadOutcome, PeerRegistryError>>;

    /// Chooses an interface of the card; sends nothing.
    fn bind(&self, config: &PeerConfig, card: &AgentCard) -> Result<PeerInterface, PeerRegistryError>;

    /// Access to the peer's Environment, with this request timeout; sends nothing.
    fn environment_access(
        &self,
        config: &PeerConfig,
        timeout: Duration,
    ) -> Result<EnvironmentAccess, PeerRegistryError> {
        let _ = timeout;
        let detail = format!("the Environment of {} cannot be reached", config.url);
        Err(PeerRegistryError { code: ErrorCode::PEER_UNREACHABLE, detail })
    }
}

/// Result of reading a card.
#[derive(Clone, Debug)]
pub enum CardReadOutcome {
    /// The card has not changed.
    Unchanged,
    /// A new card.
    Read(Box<FetchedCard>),
}

/// A card and its source.
#[derive(Clone, Debug)]
pub struct FetchedCard {
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
pub struct PeerInterface {
    /// Client of the interface.
    pub binding: Arc<dyn Binding>,
    /// URL of the interface.
    pub endpoint: String,
    /// For example `JSONRPC`.
    pub protocol: String,
    /// For example `1.0`.
    pub version: String,
}

impl PeerInterface {
    /// Creates a client that uses this interface.
    pub fn client(&self, config: &PeerConfig, card: &AgentCard) -> PeerClient {
        let limits = RetryLimits { silence_timeout: config.patience, ..RetryLimits::default() };
        let client =
            PeerClient::new(Arc::clone(&self.binding), PeerCapabilities::from_card(card, &self.version), limits);
        client.with_endpoint_attributes(EndpointAttributes::new(&self.endpoint, &self.protocol, &self.version))
    }

    /// Binding and version, for display.
    pub fn protocol_label(&self) -> String {
        format!("{} {}", self.protocol, self.version)
    }
}

impl fmt::Debug for PeerInterface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeerInterface({} at {})", self.protocol_label(), self.endpoint)
    }
}

impl PeerClient {
    /// Reads the card of an unregistered peer and creates a client.
    pub async fn connect(
        reach: &dyn PeerConnector,
        config: &PeerConfig,
    ) -> Result<(Self, FetchedCard), PeerRegistryError> {
        match reach.read_card(config, None).await? {
            CardReadOutcome::Read(read) => {
                let client = reach.bind(config, &read.card)?.client(config, &read.card);
                Ok((client, *read))
            }
            CardReadOutcome::Unchanged => Err(PeerRegistryError {
                code: error_codes::PEER_CARD_INVALID,
                detail: format!("{} answered that its card has not changed, but never sent it", config.url),
            }),
        }
    }
}

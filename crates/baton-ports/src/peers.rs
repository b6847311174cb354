//! Remote agents.

use crate::BoxFuture;
use baton_types::{AgentName, AgentSpec, Artifact, ErrorCode, Message, TaskState};
use futures_core::Stream;
use std::{pin::Pin, sync::Arc};

/// A message to a remote agent.
#[derive(Clone, Debug)]
pub struct PeerRequest {
    /// The message. Its id is also its idempotency key; its context and task are not set.
    pub message: Message,
    /// The conversation id, chosen locally before the message is sent, so that a lost answer can be found.
    pub context: String,
    /// The peer's task to continue; `None` for a new task.
    pub task: Option<String>,
    /// The active W3C trace context.
    pub trace: Option<Arc<str>>,
    /// Number of handoffs of this work, including this one.
    pub depth: u32,
}

/// Events of a peer: [`PeerEvent::Accepted`] first, [`PeerEvent::Settled`] last, without duplicates.
///
/// The stream reconnects internally and fails only if recovery is impossible. Dropping it ends the subscription and
/// does not affect the peer.
pub type PeerStream = Pin<Box<dyn Stream<Item = Result<PeerEvent, PeerError>> + Send>>;

/// One event of a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeerEvent {
    /// The peer accepted the work. Never sent by a peer that answers without a task.
    Accepted {
        /// Its task.
        task: String,
        /// Its conversation.
        context: String,
    },
    /// A text delta of the answer.
    Text(String),
    /// The text so far is invalid; the following text replaces it.
    TextReplaced,
    /// The task ended or requires input.
    Settled(Box<PeerOutcome>),
}

/// State and output of a peer's task that ended or requires input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerOutcome {
    /// Its state: terminal or interrupted.
    pub state: TaskState,
    /// The peer's status message: the answer, if the task completed. The message of a peer that answers without a task
    /// is also its answer.
    pub message: Option<Message>,
    /// Its artifacts, without one that only repeats the answer.
    pub artifacts: Vec<Artifact>,
}

/// Error of a request to a peer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PeerError {
    /// Nothing was sent: the peer is unreachable or not allowed.
    #[error("{detail}")]
    Unreachable {
        /// Stable error code.
        code: ErrorCode,
        /// The problem.
        detail: String,
    },
    /// The peer was reached and refused the request.
    #[error("{0}")]
    Refused(String),
    /// It is unknown whether the message arrived, and it cannot be determined.
    #[error("{0}")]
    InDoubt(String),
    /// The peer accepted the work, but its state can no longer be determined.
    #[error("{0}")]
    Lost(String),
}

/// Client for remote agents.
pub trait PeerGateway: Send + Sync + 'static {
    /// Sends a message for the first time.
    fn send_message<'a>(
        &'a self,
        peer: &'a AgentName,
        request: PeerRequest,
    ) -> BoxFuture<'a, Result<PeerStream, PeerError>>;

    /// Finds a message sent before the process died, and follows its task; never sends it again. `task` is the peer's
    /// task, if it is known to have accepted the work.
    fn resume<'a>(
        &'a self,
        peer: &'a AgentName,
        request: PeerRequest,
        task: Option<String>,
    ) -> BoxFuture<'a, Result<PeerStream, PeerError>>;

    /// The peer's task that received this message, if it can be found; tries for a bounded time and never sends the
    /// message.
    fn find_task<'a>(
        &'a self,
        peer: &'a AgentName,
        request: PeerRequest,
    ) -> BoxFuture<'a, Result<Option<String>, PeerError>>;

    /// Requests cancellation of the peer's task; tries for a bounded time.
    fn cancel<'a>(&'a self, peer: &'a AgentName, task: &'a str) -> BoxFuture<'a, Result<(), PeerError>>;

    /// Handles a push notification for a registration; `false` if none matches the token.
    fn handle_notification<'a>(&'a self, registration: &'a str, token: Option<&'a str>) -> BoxFuture<'a, bool>;
}

/// Parameters of a new peer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewPeer {
    /// Address of its card, or a base address.
    pub url: String,
    /// Local name; the card's name if absent.
    pub name: Option<AgentName>,
    /// Whether the peer is listed in the catalog of this Baton.
    pub listed: bool,
    /// Reference to the bearer token, such as `env://WEATHER_TOKEN`; never the token itself.
    pub bearer: Option<String>,
}

/// A registered peer.
#[derive(Clone, Debug)]
pub struct PeerRecord {
    /// Its agent definition.
    pub agent: Arc<AgentSpec>,
    /// Address of its card.
    pub card_url: String,
    /// Protocol binding and version in use, such as `JSONRPC 1.0`.
    pub protocol: String,
    /// Address that requests are sent to.
    pub endpoint: String,
    /// Its authentication: names and types of the security schemes in its card.
    pub security: Vec<String>,
    /// Key ids of the card's signatures, trusted or not.
    pub signatures: Vec<String>,
    /// Key id of the trusted signer of the card; `None` if no signature is trusted.
    pub signed_by: Option<String>,
    /// Whether the peer comes from the configuration, so that it cannot be removed by command.
    pub configured: bool,
}

/// Error of adding or removing a peer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct PeerRegistryError {
    /// Stable error code.
    pub code: ErrorCode,
    /// The problem.
    pub detail: String,
}

/// Registry of the peers of this Baton.
pub trait PeerRegistry: Send + Sync + 'static {
    /// Reads the card and stores the peer; on disk when this returns.
    fn add(&self, peer: NewPeer) -> BoxFuture<'_, Result<PeerRecord, PeerRegistryError>>;

    /// Removes an added peer; runs that use it fail.
    fn remove<'a>(&'a self, name: &'a AgentName) -> BoxFuture<'a, Result<(), PeerRegistryError>>;

    /// A peer by name.
    fn peer(&self, name: &AgentName) -> Option<PeerRecord>;

    /// All peers, by name.
    fn peers(&self) -> Vec<PeerRecord>;
}

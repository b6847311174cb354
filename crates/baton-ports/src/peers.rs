//! Agents that live elsewhere.

use crate::BoxFuture;
use baton_types::{AgentName, AgentSpec, Artifact, ErrorCode, Message, TaskState};
use futures_core::Stream;
use std::{pin::Pin, sync::Arc};

/// Words for an agent elsewhere.
#[derive(Clone, Debug)]
pub struct PeerAsk {
    /// What is said; its id is also the key under which it is said once, its context and task are not set.
    pub message: Message,
    /// The conversation, chosen here before anything is sent, so that a lost answer can be looked for.
    pub context: String,
    /// The peer's task that this answers, if it is not the beginning.
    pub task: Option<String>,
    /// W3C trace context in force.
    pub trace: Option<Arc<str>>,
    /// How often the work has been handed over, this time included.
    pub depth: u32,
}

/// What comes back: [`PeerEvent::Taken`] first, [`PeerEvent::Settled`] last, nothing twice.
///
/// Broken connections are mended inside; the stream fails only when that is hopeless. Dropping it stops listening,
/// and changes nothing for the peer.
pub type PeerStream = Pin<Box<dyn Stream<Item = Result<PeerEvent, PeerError>> + Send>>;

/// One thing that a peer let us know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeerEvent {
    /// The peer has the work. A peer that answers without a task never says so.
    Taken {
        /// Its task.
        task: String,
        /// Its conversation.
        context: String,
    },
    /// More text of the answer that is being written.
    Text(String),
    /// The text so far no longer holds; what follows takes its place.
    TextReplaced,
    /// The task ended or needs something.
    Settled(Box<PeerOutcome>),
}

/// How a peer's task stands when it ended or needs something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerOutcome {
    /// Its state: terminal or interrupted.
    pub state: TaskState,
    /// What the peer says about it: the answer, when it completed. The message of a peer that answers without a task
    /// is its answer too.
    pub message: Option<Message>,
    /// Its outputs, without one that merely repeats the answer.
    pub artifacts: Vec<Artifact>,
}

/// Why a peer gave no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PeerError {
    /// Nothing was said: it cannot be reached, or may not be.
    #[error("{detail}")]
    Unreached {
        /// The stable code.
        code: ErrorCode,
        /// What happened.
        detail: String,
    },
    /// It was reached, and refused.
    #[error("{0}")]
    Refused(String),
    /// Whether the words arrived is not known, and cannot be found out.
    #[error("{0}")]
    InDoubt(String),
    /// It had the work, and nothing more can be learned about it.
    #[error("{0}")]
    Lost(String),
}

/// Speaks with agents elsewhere.
pub trait Peers: Send + Sync + 'static {
    /// Says something for the first time.
    fn ask<'a>(&'a self, peer: &'a AgentName, ask: PeerAsk) -> BoxFuture<'a, Result<PeerStream, PeerError>>;

    /// Finds what was said before the process died, and follows it; never says it a second time. `task` is the peer's
    /// task, when it is known that it took the work.
    fn resume<'a>(
        &'a self,
        peer: &'a AgentName,
        ask: PeerAsk,
        task: Option<String>,
    ) -> BoxFuture<'a, Result<PeerStream, PeerError>>;

    /// The peer's task that took these words, when it shows a trace of them; tries for a bounded time, and never says
    /// them.
    fn find<'a>(&'a self, peer: &'a AgentName, ask: PeerAsk) -> BoxFuture<'a, Result<Option<String>, PeerError>>;

    /// Asks the peer to stop; tries for a bounded time.
    fn cancel<'a>(&'a self, peer: &'a AgentName, task: &'a str) -> BoxFuture<'a, Result<(), PeerError>>;

    /// A notification came for one of our registrations; `false` when nobody waits for it under that token.
    fn notified<'a>(&'a self, registration: &'a str, token: Option<&'a str>) -> BoxFuture<'a, bool>;
}

/// A peer to be added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewPeer {
    /// Where its card is, or below what address.
    pub url: String,
    /// What it is called here; its card's name when not given.
    pub name: Option<AgentName>,
    /// Whether the catalog of this Baton names it.
    pub listed: bool,
    /// Where the bearer token for it is, such as `env://WEATHER_TOKEN`; never the token itself.
    pub bearer: Option<String>,
}

/// A peer as it is known here.
#[derive(Clone, Debug)]
pub struct KnownPeer {
    /// As an agent.
    pub agent: Arc<AgentSpec>,
    /// Where its card was read.
    pub card_url: String,
    /// The binding and version that is spoken with it, such as `JSONRPC 1.0`.
    pub spoken: String,
    /// The address that is spoken to.
    pub endpoint: String,
    /// How it wants to know its callers: the names of the security schemes in its card, with their kinds.
    pub security: Vec<String>,
    /// The key ids that its card names as signers, whether they are trusted or not.
    pub signatures: Vec<String>,
    /// Who signed its card, by key id; nobody whom we know when not given.
    pub signed_by: Option<String>,
    /// Whether it stands in the configuration, and so cannot be removed by command.
    pub configured: bool,
}

/// Why a peer was not added or removed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct PeerBookError {
    /// The stable code.
    pub code: ErrorCode,
    /// What happened.
    pub detail: String,
}

/// The peers of this Baton.
pub trait PeerBook: Send + Sync + 'static {
    /// Reads the card and keeps the peer; on disk when this returns.
    fn add(&self, peer: NewPeer) -> BoxFuture<'_, Result<KnownPeer, PeerBookError>>;

    /// Forgets one that was added; runs that ask it fail.
    fn remove<'a>(&'a self, name: &'a AgentName) -> BoxFuture<'a, Result<(), PeerBookError>>;

    /// One of them.
    fn peer(&self, name: &AgentName) -> Option<KnownPeer>;

    /// All of them, by name.
    fn peers(&self) -> Vec<KnownPeer>;
}

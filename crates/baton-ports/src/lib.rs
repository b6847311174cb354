//! The traits between the engine and its environment, and the values that cross them.
//!
//! This crate must never implement a port: it declares, the crates of layer 2 implement, and the binary wires. No
//! tokio, no file system, no clock, no randomness.
//!
//! Read first: [`Journal`] (the source of truth), [`Model`] (a chat model), [`ToolHost`] (runs tools).

mod agent_book;
mod agent_shelf;
mod agents;
mod embedder;
mod exports;
mod guests;
mod identity;
mod journal;
mod mcp_sessions;
mod model;
mod outbox;
mod peers;
mod provider_probe;
mod search;
mod session_book;
mod span_reader;
mod spans;
mod tools;
mod trail;
mod vector_shelf;
mod webhooks;
mod weight;
mod world;

pub use agent_book::{AgentBook, AgentBookError, AgentChanged, AgentFiles, AgentStorage, AgentStorageError};
pub use agent_shelf::{AgentPlace, AgentShelf, Keeping, KeptAgent};
pub use agents::{
    AgentAsk, AgentAskError, AgentDesk, AgentReply, AgentSource, Changes, HandoffAsk, HandoffDesk, HandoffEnd,
    HandoffTicket, PermissionBook, PermissionBookError, PermissionChanged, Unusable,
};
pub use embedder::Embedder;
pub use exports::{ExportReport, ExportState, Exports};
pub use guests::{Guest, GuestError, Guests};
pub use identity::{
    AdminChange, Audit, CardSignature, CardSigner, Denial, Identified, Identity, IssuedToken, NewToken, TokenError,
    TokenRecord, TokenStore, Tokens, Unidentified,
};
pub use journal::{
    Blob, Commit, CommitObserver, Conversation, ConversationCursor, ConversationPage, ConversationQuery, Forgotten,
    Head, HeadUpdate, Journal, JournalError, JournalStats, Lease, ListPage, ListQuery, Loaded, PageCursor, Receipt,
    RetentionPolicy, Snapshot, StoredEvent, Tally, Write,
};
pub use mcp_sessions::McpSessions;
pub use model::{
    ChatFile, ChatFileContent, ChatMessage, Finish, MicroDollars, Model, ModelAbout, ModelCall, ModelError, ModelEvent,
    ModelStream, Models, OutputFormat, RetryAdvice, ToolChoice,
};
pub use outbox::{Claim, OutboxEntry, OutboxProgress};
pub use peers::{
    KnownPeer, NewPeer, PeerAsk, PeerBook, PeerBookError, PeerError, PeerEvent, PeerOutcome, PeerStream, Peers,
};
pub use provider_probe::ProviderProbe;
pub use search::{SearchText, TextSearch};
pub use session_book::{SessionBook, SessionBookError, SessionItems};
pub use span_reader::{ReadAsk, ReadSpans, SpanReader};
pub use spans::{
    FoundSpan, FoundSpanset, FoundTrace, Heard, MetricsAnswer, MetricsAsk, SearchAnswer, SearchAsk, ServiceStats,
    SpanBatch, SpanFeed, SpanSink, SpanStats, SpanStore, SpanStoreError, Tags, TagsAsk, TimeRange,
};
pub use tools::{
    SampleAsk, Sampled, ServerState, ServerStatus, ToolHelper, ToolHost, ToolOutcome, ToolOutput, ToolProgress, ToolRun,
};
pub use trail::{Onward, Trail};
pub use vector_shelf::{KeptVectors, VectorShelf};
pub use webhooks::{Notice, Notified, WebhookError, Webhooks};
pub use weight::Counting;
pub use world::{Clock, Ids};

/// A boxed future, so that ports can be trait objects.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

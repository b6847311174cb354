//! The traits between the engine and its environment, and the values that cross them.
//!
//! This crate must never implement a port: it declares, the crates of layer 2 implement, and the binary wires. No
//! tokio, no file system, no clock, no randomness.
//!
//! Read first: [`Journal`] (the source of truth), [`Model`] (a chat model), [`ToolHost`] (runs tools).

mod agent_repository;
mod agent_storage;
mod agents;
mod caller_servers;
mod embedder;
mod embedding_cache;
pub mod error_codes;
mod exports;
mod identity;
mod journal;
mod mcp_sessions;
mod model;
mod outbox;
mod peers;
mod provider_probe;
mod search;
mod session_store;
mod tools;
mod webhooks;
mod weight;

pub use agent_repository::{AgentLocation, AgentPersistence, AgentRepository, AgentRepositoryError, StoredAgent};
pub use agent_storage::{AgentFiles, AgentStorage, AgentStorageError};
pub use agents::{
    AgentInvokeError, AgentInvoker, AgentReply, AgentRequest, AgentSource, ChangeStream, HandoffOutcome,
    HandoffRequest, HandoffService, HandoffTicket, UnusableEntry,
};
pub use caller_servers::{CallerServer, CallerServerConnector, CallerServerError};
pub use embedder::Embedder;
pub use embedding_cache::{CachedVectors, EmbeddingCache};
pub use exports::{ExportMonitor, ExportReport, ExportState};
pub use identity::{
    AccessDenial, AdminChange, AuditLog, AuthenticatedCaller, Authenticator, CardSignature, CardSigner, IssuedToken,
    NewToken, TokenError, TokenIssuer, TokenRecord, TokenRejection, TokenStore,
};
pub use journal::{
    Blob, Commit, CommitObserver, ConversationCursor, ConversationPage, ConversationQuery, ConversationSummary,
    DeleteOutcome, Journal, JournalError, JournalStats, Lease, LoadedStream, Receipt, RetentionPolicy, Snapshot,
    StoredEvent, StreamCursor, StreamHead, StreamHeadUpdate, StreamPage, StreamQuery, Tally, Write,
};
pub use mcp_sessions::McpSessionStore;
pub use model::{
    ChatFile, ChatFileContent, ChatMessage, FinishReason, MicroDollars, Model, ModelCall, ModelError, ModelEvent,
    ModelInfo, ModelResolver, ModelStream, OutputFormat, RetryAdvice, ToolChoice,
};
pub use outbox::{Claim, OutboxEntry, OutboxProgress};
pub use peers::{
    NewPeer, PeerError, PeerEvent, PeerGateway, PeerOutcome, PeerRecord, PeerRegistry, PeerRegistryError, PeerRequest,
    PeerStream,
};
pub use provider_probe::ProviderProbe;
pub use search::{SearchText, TextSearch};
pub use session_store::{SessionItems, SessionStore, SessionStoreError};
pub use tools::{
    SamplingRequest, SamplingResult, ServerState, ServerStatus, ToolHelper, ToolHost, ToolInvocation, ToolOutcome,
    ToolOutput, ToolProgress,
};
pub use webhooks::{NotificationOutcome, TaskNotification, WebhookError, WebhookSender};
pub use weight::TokenCounter;

/// A boxed future, so that ports can be trait objects.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

//! Run loop, recovery, in-process handoffs and push notifications: drives the rules of `baton-rules` with the ports of
//! `baton-ports`.
//!
//! This crate must never decide a task state (`baton-rules` does), acknowledge a write before the journal has synced
//! it, or depend on a wire dialect.
//!
//! Read first: [`Engine`] (API for surfaces), [`FeedItem`] (items of a subscription), `run/mod.rs` (the run loop),
//! `push/orders.rs` (the queue of the push dispatcher).

mod approvals;
mod cancel;
mod changed;
mod claims;
mod command;
mod desk;
mod end;
mod engine;
mod error;
mod farewell;
mod feed;
mod foreign;
mod forms;
mod handoff_desk;
mod hub;
mod isolation;
mod live;
mod no_peers;
mod open;
mod passing;
mod pins;
mod push;
mod recover;
mod relevance;
mod run;
mod say;
mod send;
mod sessions;
mod submit;
mod subscribe;
mod tallies;
mod views;

pub use approvals::{
    AnswerApproval, Approval, ApprovalDecision, ApprovalError, ApprovalKind, ApprovalPage, ApprovalQuestion,
    ApprovalRef, ListApprovals, QuestionAnswer,
};
pub use command::{IdempotencyKey, ListTasks, SendCommand, SendReceipt, TaskPage, TaskRef};
pub use engine::{Engine, EngineOptions, Ports};
pub use error::EngineError;
pub use feed::FeedItem;
pub use no_peers::NoPeers;
pub use sessions::{
    ForkSession, ImportSession, ListSessions, NO_AGENT, SessionChange, SessionDeletion, SessionError,
    SessionImportResult, SessionLine, SessionPage, SessionRef, SessionSummary, SessionView, UnfinishedPolicy,
};
pub use subscribe::Subscription;

//! Run loop, recovery, in-process handoffs and push notifications: drives the rules of `baton-rules` with the ports of
//! `baton-ports`.
//!
//! This crate must never decide a task state (`baton-rules` does), acknowledge a write before the journal has synced
//! it, or depend on a wire dialect.
//!
//! Read first: [`Engine`] (API for surfaces), [`FeedItem`] (items of a subscription), `run/mod.rs` (the run loop),
//! `push/delivery_queue.rs` (the queue of the push dispatcher).

mod agent_invoker;
mod approvals;
mod cancel;
mod claims;
mod command;
mod continue_task;
mod end;
mod engine;
mod error;
pub mod error_codes;
mod feed;
mod handoff_service;
mod hub;
mod isolation;
mod live;
mod long_poll;
mod no_peers;
mod open;
mod ownership;
mod pins;
mod push;
mod question_forwarding;
mod recover;
mod relevance;
mod remote_cancel;
mod retry;
mod run;
mod schema_cache;
mod send;
mod sessions;
mod submit;
mod subscribe;
mod usage_totals;
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

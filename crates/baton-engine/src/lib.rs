//! The run loop, recovery, in-process handoff and push notifications: drives the rules of `baton-rules` with the ports of `baton-ports`.
//!
//! This crate must never decide a state by itself (that is `baton-rules`), acknowledge what the journal has not
//! synced, or know a wire dialect.
//!
//! Read first: [`Engine`] (what surfaces call), [`FeedItem`] (what subscribers see), `run/mod.rs` (how a run goes on),
//! `push/orders.rs` (what the courier of notifications works from).

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
pub use command::{IdempotencyKey, ListTasks, SendCommand, Sent, TaskPage, TaskRef};
pub use engine::{Engine, Options, Ports};
pub use error::EngineError;
pub use feed::FeedItem;
pub use no_peers::NoPeers;
pub use sessions::{
    Deleted, ForkSession, ImportSession, Imported, ListSessions, NO_AGENT, SessionChange, SessionError, SessionLine,
    SessionPage, SessionRef, SessionSummary, SessionView, Unfinished,
};
pub use subscribe::Subscription;

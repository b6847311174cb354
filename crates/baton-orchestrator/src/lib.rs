//! The client that runs the tools of agents elsewhere: it asks them over A2A and calls their Environments over MCP.
//!
//! This crate must never call an agent or an Environment that its caller did not allow, never show a credential to an
//! origin that it was not given for, and never go on without a bound: rounds, calls, depth and time all have one.
//!
//! Read first: [`Orchestrator`] (asks, runs tools, and goes on until there is an answer), [`Answer`] (what comes of it),
//! [`PeerConnect`] (the way to the Environments of peers).

mod admit;
mod answer;
mod asking;
mod calls;
mod connect;
mod converse;
mod error;
mod helper;
mod inner;
mod limits;
mod orchestrator;
mod watch;
mod words;

pub use answer::{Answer, Question, Reply};
pub use connect::PeerConnect;
pub use error::OrchestrateError;
pub use limits::Limits;
pub use orchestrator::Orchestrator;
pub use watch::{Watch, Whose};

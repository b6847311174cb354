//! Client that runs the tools of remote agents: it calls the agents over A2A and their Environments over MCP.
//!
//! This crate must never call an agent or an Environment that its caller did not allow, never send a credential to an
//! origin that it was not configured for, and never run without a limit: rounds, calls, depth and time are all bounded.
//!
//! Read first: [`Orchestrator`] (calls an agent and runs its tools until there is an answer), [`AgentAnswer`] (the
//! outcome).

mod admit;
mod answer;
mod calls;
mod converse;
mod error;
pub mod error_codes;
mod inner;
mod limits;
mod message;
mod observer;
mod orchestrator;
mod peer_conversation;
mod sampling_helper;

pub use answer::{AgentAnswer, AgentQuestion, QuestionReply};
pub use error::OrchestrateError;
pub use limits::OrchestratorLimits;
pub use observer::{CalledAgent, OrchestrationObserver};
pub use orchestrator::Orchestrator;

//! The client that runs the tools of agents elsewhere: it asks them over A2A and calls their Environments over MCP.
//!
//! This crate must never call an agent or an Environment that its caller did not allow, never show a credential to an
//! origin that it was not given for, and never go on without a bound: rounds, depth, calls at once and time all have one.
//!
//! Read first: [`PeerConnect`] (the way to the Environments of peers).

mod connect;

pub use connect::PeerConnect;

//! Tests of the real binary: start it, kill it, follow it like any client, and check its complete journal.
//!
//! This crate must never reach into a running server: it uses `baton-client`, and opens the journal only after the
//! server has stopped. The checker never does I/O; it evaluates collected evidence.
//!
//! Read first: [`Server`] (the binary as a child process), [`Webhook`] (a push notification receiver),
//! [`kill_loop::run`] and [`relay::run`] (the loops), [`checker::check`] (the invariants).

pub mod checker;
mod cut_proxy;
mod evidence;
mod history;
mod in_doubt;
pub mod kill_loop;
mod otlp_receiver;
mod receiver;
pub mod relay;
mod request;
mod server;
mod tool_log;
mod transcript;
mod webhook;

pub use cut_proxy::{Cut, CutProxy};
pub use evidence::{Evidence, Generation, KeyedMessage};
pub use history::History;
pub use otlp_receiver::{OtlpReceiver, ReceivedSpans};
pub use receiver::{DeliveryAttempt, Receiver};
pub use request::{RawResponse, request};
pub use server::{Server, ServerOptions, StartingServer};
pub use tool_log::Execution;
pub use transcript::{Segment, SnapshotPolicy, Transcript};
pub use webhook::{Webhook, WebhookArrival, WebhookReaction};

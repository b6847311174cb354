//! Push notifications about tasks, in the dialect of their receiver: the [`WebhookSender`](baton_ports::WebhookSender)
//! port on a guarded client.
//!
//! This crate must never open a connection of its own, retry, or log a secret of a receiver.
//!
//! Read first: [`PushSender`].

mod headers;
mod render;
mod sender;
mod span;

pub use sender::PushSender;

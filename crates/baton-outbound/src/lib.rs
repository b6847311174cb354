//! HTTP to the outside that cannot be turned against the inside: webhooks, and whatever else a caller may choose the
//! address of.
//!
//! This crate must never connect to an address that its policy did not see: a name is judged by the addresses that
//! the connection is about to use, every redirect is judged again, and there is no other client in here. It never
//! waits, reads or keeps connections without a bound.
//!
//! Read first: [`AddressPolicy`] (what may be reached), [`GuardedClient`] (how), [`PushSender`] (notifications).

mod body;
mod client;
mod connect;
mod error;
mod follow;
mod host;
mod http2;
mod identity;
mod kept;
mod open;
mod options;
mod policy;
mod push;
mod redirect;
mod reply;
mod resolve;
mod send;
mod shown;
mod target;
mod tls;

pub use body::GuardedBody;
pub use client::GuardedClient;
pub use error::{OutboundError, Refusal, SetupError};
pub use follow::Landed;
pub use http2::Http2Service;
pub use identity::ClientIdentity;
pub use options::Options;
pub use policy::{AddressPolicy, AllowError, AllowProblem, Range};
pub use push::PushSender;
pub use reply::Reply;
pub use resolve::{Resolver, SystemResolver};
pub use rustls::pki_types::{CertificateDer, PrivateKeyDer};
pub use shown::Shown;
pub use target::{Origin, Target};

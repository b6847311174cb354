//! Outbound HTTP for webhooks and other caller-supplied addresses, guarded against server-side request forgery.
//!
//! This crate must never connect to an address that its policy did not check: a host name is checked by the addresses
//! that the connection is about to use, every redirect is checked again, and there is no other client in this crate.
//! Timeouts, body sizes and idle connections are always bounded.
//!
//! Read first: [`AddressPolicy`] (allowed addresses), [`GuardedClient`] (the client).

mod body;
mod client;
mod connect;
mod connection;
mod environment;
mod error;
mod follow;
mod host;
mod http2;
mod identity;
mod keep_alive;
mod open;
mod options;
mod policy;
mod pool;
mod pooled_body;
mod redactor;
mod redirect;
mod reply;
mod resolve;
mod send;
mod target;
mod tls;

pub use body::GuardedBody;
pub use client::GuardedClient;
pub use environment::{EnvironmentAccess, EnvironmentRegistry, RequestAuthenticator};
pub use error::{AddressRefusal, OutboundError, SetupError};
pub use follow::FinalTarget;
pub use http2::Http2Service;
pub use identity::ClientIdentity;
pub use options::OutboundOptions;
pub use policy::{AddressPolicy, AddressRange, AllowError, AllowProblem};
pub use redactor::SecretRedactor;
pub use reply::OutboundReply;
pub use resolve::{Resolver, SystemResolver};
pub use rustls::pki_types::{CertificateDer, PrivateKeyDer};
pub use target::{Target, UrlOrigin};

//! Connections: accept, TLS handshake, protocol detection and graceful shutdown.

mod accept;
mod connection;
mod handshake;
mod options;
mod prefixed_stream;
mod unread_body;

pub use accept::serve;
pub(crate) use connection::RemoteAddress;
pub use options::ServeOptions;

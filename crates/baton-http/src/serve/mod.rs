//! Connections: accept, TLS handshake, protocol detection and graceful shutdown.

mod accept;
mod connection;
mod handshake;
mod options;
mod rewound;
mod unread;

pub use accept::serve;
pub(crate) use connection::RemoteAddress;
pub use options::ServeOptions;

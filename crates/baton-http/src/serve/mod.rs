//! Connections: accepted, secured if there is a certificate, spoken to in the client's protocol, and ended in order.

mod accept;
mod connection;
mod handshake;
mod options;
mod rewound;
mod unread;

pub use accept::serve;
pub(crate) use connection::RemoteAddress;
pub use options::ServeOptions;

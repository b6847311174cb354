//! Servers that are part of Baton: an agent's rules, references and tools, for it to look into and to change; spoken to
//! like any other server.

mod arguments;
mod call;
mod connect;
mod inside;
mod knowledge;
mod listing;
mod search;
mod server;
mod tools;

pub(crate) use connect::is_ours;
pub use connect::{InternalConnect, InternalPorts};

//! A peer by script: what its task does, how it serves streams, and where everything breaks.

mod fold;
mod script;
mod server;

pub(crate) use fold::Fold;
pub(crate) use script::{Script, chunk, status, whole};
pub(crate) use server::{Cut, Kind, Refusing, SendFault, Server, Shared};

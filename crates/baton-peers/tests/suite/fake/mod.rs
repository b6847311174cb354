//! A scripted peer: events of its task, style of its streams, and faults.

mod fold;
mod script;
mod server;

pub(crate) use fold::Fold;
pub(crate) use script::{Script, chunk, status, whole};
pub(crate) use server::{Cut, Kind, RefusalTiming, SendFault, Server, SharedServer};

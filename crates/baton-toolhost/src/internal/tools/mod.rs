//! Tools and the servers that have them.

mod find;
mod look;
mod modes;
mod session;
mod table;

pub(super) use table::{call, tools};

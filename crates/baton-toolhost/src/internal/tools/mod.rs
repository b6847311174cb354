//! Tools and the servers that provide them.

mod find;
mod look;
mod modes;
mod session;
mod table;

pub(super) use table::{call, tools};

//! Tools and the servers that provide them.

mod find;
mod modes;
mod read;
mod session;
mod table;

pub(super) use table::{call, tools};

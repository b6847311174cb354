//! Rules and references: the same tools for both kinds.

mod change;
mod read;
mod session;
mod table;

pub(super) use table::{call, tools};

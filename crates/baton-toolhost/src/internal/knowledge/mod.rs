//! Rules and references: the same tools for both, with other nouns.

mod change;
mod look;
mod session;
mod table;

pub(super) use table::{call, tools};

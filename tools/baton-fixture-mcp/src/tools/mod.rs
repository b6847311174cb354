//! Definitions and implementations of the tools.

mod call;
mod content;
mod list;
mod notices;
mod questions;

pub(crate) use call::call;
pub(crate) use list::{find, list};

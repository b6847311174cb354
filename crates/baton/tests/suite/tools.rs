//! `baton tools`: lists, calls, forms, and servers that do not work.

mod approve;
mod forms;
mod questions;
mod servers;
#[cfg(target_os = "linux")]
mod terminal;

#[cfg(target_os = "linux")]
pub(crate) use terminal::typed;

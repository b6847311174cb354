//! `baton tools`: lists, calls, forms, and servers that fail.

mod approve;
mod forms;
mod questions;
mod servers;
#[cfg(target_os = "linux")]
mod terminal;

#[cfg(target_os = "linux")]
pub(crate) use terminal::run_at_terminal;

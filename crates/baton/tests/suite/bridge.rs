//! `baton mcp`: lines of JSON-RPC on the standard streams.

mod broken;
mod called_off;
mod entries;
mod garbage;
mod restarted;
mod story;
mod talk;

pub(crate) use talk::{Talk, meta};

//! Agents in TeamSpark's formats, in all versions.
//!
//! They were written by other programs and worked there, so few errors prevent serving one: an unreadable file or a
//! missing name. Every other problem is a warning, and the value is skipped.

mod agent;
mod exports;
mod metadata;
mod segment;
mod settings;
mod value;

pub(crate) use agent::{parse, tree};
pub(crate) use exports::to_teamspark_prompt;
pub(crate) use metadata::chat_skill;

pub use segment::segment;
pub(crate) use value::text;

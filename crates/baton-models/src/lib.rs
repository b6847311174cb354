//! Models behind one trait. Today there is one: the playbook, deterministic rules in a file.
//!
//! This crate must never run a tool, write a fact or remember a conversation: a model sees the messages of one call
//! and answers, so that every replica answers the same. It never reads a file; the rules' text comes with the agent.
//!
//! Read first: [`PlaybookModels`] (finds the model of an agent), [`Playbook`] (answers by rules), [`check`] (what is
//! wrong with a playbook, with line and column).

mod playbook;
mod schema;

pub use playbook::{Miss, Playbook, PlaybookModels, PlaybookReport, RuleReport, check};
pub use schema::sample;

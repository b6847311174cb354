//! Reads agent directories, given as a map of path to bytes, into resolved agents with located diagnostics.
//!
//! This crate must never touch a disk, start a program, read a clock or draw a random number: whoever has the files
//! (`baton-local`) passes them in. It does not judge `playbook.yaml` either; its text travels with the agent and
//! `baton-models` checks it.
//!
//! Read first: [`Format`] (the forms that an agent is written in), [`parse`] (files in, agent and kit out), [`edit()`] and
//! [`amend`] (one thing changed, every other byte kept), [`convert()`] (the same agent in another form), [`Diagnostic`]
//! (what a person is told), [`document`] (YAML and JSON with the place of every value, shared by everything that reads a
//! file a person wrote), [`provider`] (services that models are reached through).

mod argv;
mod beside;
mod convert;
mod detect;
mod diagnostic;
pub mod document;
mod edit;
mod export;
mod foreign;
mod guardrail;
mod handoff;
mod item;
mod mcp;
mod modes;
mod names;
mod orchestration;
mod parse;
mod permission;
pub mod provider;
mod raw;
mod resolve;
mod scaffold;
mod schema;
mod template;
mod tool;

pub use argv::{ArgvError, expand};
pub use convert::{ConvertError, Converted, convert, provider_entry, server_entry};
pub use detect::{DEFINITION_FILES, Format, TSAGENT_FILE, TSAGENT_JSON_FILE, is_definition_path};
pub use diagnostic::{Diagnostic, Severity};
pub use edit::{Amended, EditError, Edited, amend, edit};
pub use foreign::segment;
pub use item::{
    GUIDE_FILE, MAX_REFERENCES, REFERENCE_DIRECTORIES, RULE_DIRECTORY, SKILL_DIRECTORY, SKILL_FILE, reference_type,
};
pub use mcp::MCP_FILES;
pub use names::{RESERVED_AGENT_NAMES, is_agent_name, is_tool_name};
pub use orchestration::ORCHESTRATION_PROMPT;
pub use parse::{AGENT_FILE, PLAYBOOK_FILE, PROMPT_FILE, Parsed, parse, parse_anywhere};
pub use raw::read_a2a_settings;
pub use scaffold::scaffold;
pub use schema::{a2a_settings as a2a_settings_schema, providers as providers_schema, schema};

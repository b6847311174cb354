//! Reads agent directories, given as a map of path to bytes, into resolved agents with located diagnostics.
//!
//! This crate must never touch a disk, start a program, read a clock or draw a random number: the caller
//! (`baton-local`) passes the files in. It does not validate `playbook.yaml`; the text is passed through and
//! `baton-models` checks it.
//!
//! Read first: [`Format`] (the supported file formats), [`parse`] (files in, agent and resources out), [`edit()`] and
//! [`amend`] (change one value and keep every other byte), [`convert()`] (the same agent in another format),
//! [`provider`] (model providers).

mod argv;
mod convert;
mod detect;
mod edit;
pub mod error_codes;
mod export;
mod guardrail;
mod handoff;
mod item;
mod mcp;
mod modes;
mod orchestration;
mod parse;
mod permission;
pub mod provider;
mod raw;
mod resolve;
mod scaffold;
mod schema;
mod teamspark;
mod teamspark_defaults;
mod template;
mod tool;

pub use argv::{ArgvError, expand};
pub use convert::{ConvertError, ConvertedAgent, convert, provider_entry, server_entry};
pub use detect::{DEFINITION_FILES, Format, TSAGENT_FILE, TSAGENT_JSON_FILE, is_definition_path};
pub use edit::{AgentAmendment, EditError, PermissionEdit, amend, edit};
pub use item::{
    GUIDE_FILE, MAX_REFERENCES, REFERENCE_DIRECTORIES, RULE_DIRECTORY, SKILL_DIRECTORY, SKILL_FILE, reference_type,
};
pub use mcp::MCP_FILES;
pub use orchestration::ORCHESTRATION_PROMPT;
pub use parse::{AGENT_FILE, PLAYBOOK_FILE, PROMPT_FILE, ParsedAgent, parse, parse_anywhere};
pub use raw::read_a2a_settings;
pub use scaffold::scaffold;
pub use schema::{a2a_settings as a2a_settings_schema, providers as providers_schema, schema};
pub use teamspark::segment;

//! Agent management: definitions are created, shown without secrets, changed and cloned, independent of the surface.
//!
//! This crate must never store a file or know a protocol: it computes the new files with `baton-agentdir`, passes them
//! to an `AgentRepository`, and returns the result in `baton-wire` types. Its output never contains a secret, and only
//! the owner may add programs to start or variables to read.
//!
//! Read first: [`Manager`] (the operations), [`Definition`] (a stored agent), [`shown_entry`] (a server without
//! secrets).

mod change;
mod clone;
mod compose;
mod definition;
mod edit;
pub mod error_codes;
mod guard;
mod manager;
mod secrets;
mod shapes;

pub use change::{
    export_change, item_change, item_put, metadata_change, provider_change, server_change, settings_change,
};
pub use definition::Definition;
pub use edit::{AgentUpdate, PermissionUpdate};
pub use guard::ManageRole;
pub use manager::{DefinitionUpdate, Manager};
pub use secrets::{REDACTED_VALUE, shown_entry, shown_provider};
pub use shapes::{
    available_providers, definition, export, item, item_with_text, location_note, provider, providers, servers,
    settings, storage_info,
};

use baton_agentdir::EditError;
use baton_ports::AgentRepositoryError;
use baton_types::ErrorCode;

/// Management error: a stable code and a message.
pub type ManageError = AgentRepositoryError;

fn manage_error(code: ErrorCode, detail: impl Into<String>) -> ManageError {
    ManageError { code, detail: detail.into() }
}

/// Maps an edit error to a management error.
fn edit_error(error: &EditError) -> ManageError {
    let code = match error {
        EditError::Absent { .. } | EditError::Missing(_) => error_codes::AGENT_PART_NOT_FOUND,
        EditError::Exists { .. } => error_codes::NAME_TAKEN,
        EditError::Refused(_) | EditError::InvalidValue(_) => ErrorCode::AGENT_INVALID,
        _ => error.code(),
    };
    manage_error(code, error.to_string())
}

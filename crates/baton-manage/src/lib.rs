//! Managing agents: their definitions are made, shown without secrets, changed and copied, for every surface alike.
//!
//! This crate must never keep a file or know a protocol: it works out what is to be written with `baton-agentdir`, gives it
//! to an `AgentShelf`, and says what came of it in the shapes of `baton-wire`. Nothing that it shows holds a secret, and
//! nobody but the owner of a Baton may have it start programs or read variables.
//!
//! Read first: [`Manager`] (the verbs), [`Definition`] (an agent as it is kept), [`shown_entry`] (what is left of a server).

mod change;
mod clone;
mod compose;
mod definition;
mod guard;
mod manager;
mod secrets;
mod shapes;

pub use change::{
    export_change, item_change, item_put, metadata_change, provider_change, server_change, settings_change,
};
pub use definition::Definition;
pub use guard::Who;
pub use manager::{Changed, Manager};
pub use secrets::{HIDDEN, shown_entry, shown_provider};
pub use shapes::{
    available_providers, definition, export, item, item_with_text, kept, note, provider, providers, servers, settings,
};

use baton_agentdir::EditError;
use baton_ports::AgentBookError;
use baton_types::ErrorCode;

/// Why nothing was done: a stable code, and what happened.
pub type ManageError = AgentBookError;

fn wrong(code: ErrorCode, detail: impl Into<String>) -> ManageError {
    ManageError { code, detail: detail.into() }
}

/// What a refused edit tells whoever wanted it.
fn edit_refused(error: &EditError) -> ManageError {
    let code = match error {
        EditError::Absent { .. } | EditError::Missing(_) => ErrorCode::AGENT_PART_NOT_FOUND,
        EditError::Exists { .. } => ErrorCode::NAME_TAKEN,
        EditError::Refused(_) | EditError::Unfit(_) => ErrorCode::AGENT_INVALID,
        _ => error.code(),
    };
    wrong(code, error.to_string())
}

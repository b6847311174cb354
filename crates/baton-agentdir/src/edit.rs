//! Edits user-written files: changes one value and keeps every other byte.
//!
//! A change is a list of [`step::EditStep`]s on the values of a file. The steps are applied twice: to the parsed
//! values, and to the text, where comments and layout are kept. The new text is returned only if it parses to the
//! changed values and the resulting agent differs in nothing else; otherwise an error tells the user the edit to make
//! by hand.

mod amend;
mod apply;
mod change;
mod error;
mod export;
mod include;
mod item;
mod json;
mod key_dialect;
mod metadata;
mod outcome;
mod prompt;
mod provider;
mod server;
mod settings;
mod step;
mod text;
mod yaml;

pub use amend::{AgentAmendment, amend};
pub use change::{PermissionEdit, edit};
pub use error::EditError;

//! Port implementations for the local machine: agent directories on disk, command tools, the audit log, the clock and
//! new ids.
//!
//! This crate must never decide anything about tasks or agents: it reads and replaces files for `baton-agentdir`, runs
//! the program of a tool, and reads the clock. No shell is ever involved, and every program is limited in time and
//! output.
//!
//! Read first: [`DirectoryAgents`] (agents from disk), [`DirectoryStorage`] (their files), [`CommandTools`] (programs
//! as tools), [`SystemClock`].

mod agents;
mod audit;
mod clock;
mod command;
mod data_directory;
mod definition_file;
mod discover;
mod files;
mod ids;
mod json_lines;
mod load_error;
mod log_writer;
mod mcp_sessions;
mod open_files;
mod private_file;
mod secret_key;
mod storage;
mod vector_files;

pub use agents::{AdditionalSources, DirectoryAgents, Reload, SpecCheck};
pub use audit::AuditFile;
pub use clock::SystemClock;
pub use command::CommandTools;
pub use data_directory::{
    Correction, DataDirectoryError, ExposedPath, exposed_paths, journal_evidence, lacks_gitignore,
    prepare_data_directory,
};
pub use ids::TimeOrderedIds;
pub use json_lines::JsonLines;
pub use load_error::LoadError;
pub use log_writer::LogWriter;
pub use mcp_sessions::SessionFiles;
pub use open_files::raise_open_files;
pub use private_file::write_private;
pub use secret_key::{SecretKeyError, load_or_create_key};
pub use storage::{DirectoryStorage, MemoryStorage};
pub use vector_files::VectorFiles;

//! Port implementations on the files of this machine: agent directories, the audit log, the data directory.
//!
//! This crate must never decide anything about tasks or agents: it reads and replaces files for `baton-agentdir`.
//!
//! Read first: [`DirectoryAgents`] (agents from disk), [`DirectoryStorage`] (their files), [`AuditFile`] (the audit log).

mod agents;
mod audit;
mod data_directory;
mod definition_file;
mod discover;
mod error_codes;
mod files;
mod json_lines;
mod load_error;
mod log_writer;
mod mcp_sessions;
mod open_files;
mod secret_key;
mod storage;
mod vector_files;

pub use agents::{AdditionalSources, DirectoryAgents, Reload, SpecCheck};
pub use audit::AuditFile;
pub use data_directory::{
    Correction, DataDirectoryError, ExposedPath, exposed_paths, journal_evidence, lacks_gitignore,
    prepare_data_directory,
};
pub use json_lines::JsonLines;
pub use load_error::LoadError;
pub use log_writer::LogWriter;
pub use mcp_sessions::SessionFiles;
pub use open_files::raise_open_files;
pub use secret_key::{SecretKeyError, load_or_create_key};
pub use storage::{DirectoryStorage, MemoryStorage};
pub use vector_files::VectorFiles;

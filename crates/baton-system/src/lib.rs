//! Clock, ids and private files of this machine, for every crate that needs one of them and nothing else.
//!
//! This crate must never know an agent, a protocol or a configuration, and never leave a half-written file.
//!
//! Read first: [`SystemClock`] (the only clock), [`TimeOrderedIds`] (new ids), [`write_private`] (atomic writes of files
//! with secrets).

mod clock;
mod ids;
mod private_file;

pub use clock::SystemClock;
pub use ids::TimeOrderedIds;
pub use private_file::write_private;

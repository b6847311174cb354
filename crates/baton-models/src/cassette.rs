//! Recorded model answers in a file, replayed without the model.

mod canonical;
mod event;
mod file;
mod nearest;
mod record;
mod replay;

pub use canonical::call_key;
pub use file::{Cassette, CassetteError};
pub use record::RecorderModel;
pub use replay::ReplayModel;

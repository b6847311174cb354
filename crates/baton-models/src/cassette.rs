//! Recorded model answers in a file, replayed without the model.

mod canonical;
mod event;
mod nearest;
mod record;
mod replay;
mod tape;

pub use canonical::call_key;
pub use record::Recorder;
pub use replay::Replay;
pub use tape::{CassetteError, Tape};

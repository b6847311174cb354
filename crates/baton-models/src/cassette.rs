//! Recorded model answers in a file, replayed without the model.

mod canonical;
mod event;
mod nearest;
mod record;
mod replay;
mod tape;

pub use canonical::call_key;
pub use record::RecorderModel;
pub use replay::ReplayModel;
pub use tape::{Cassette, CassetteError};

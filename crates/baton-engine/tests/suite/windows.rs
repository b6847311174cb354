//! Conversations longer than the model's window: the model input, and the record.

mod files;
mod long;
mod small_window;
mod spill;

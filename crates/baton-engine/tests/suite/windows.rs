//! Conversations that are longer than their model's window: what the model is given, and what stays on record.

mod files;
mod long;
mod narrow;
mod spill;

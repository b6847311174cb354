//! Spans in a file, read back.

mod files;
mod read_back;
mod sample;

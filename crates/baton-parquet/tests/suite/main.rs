//! Spans in a file, read back.

#![cfg(test)]

mod files;
mod read_back;
mod sample;

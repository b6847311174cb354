//! Spans written to a file and read back.

#![cfg(test)]

mod files;
mod read_back;
mod sample;

//! Agent management.

#![cfg(test)]

mod destinations;
mod effects;
mod edits;
mod manager;
mod permissions;
mod secrets;
mod two_processes;

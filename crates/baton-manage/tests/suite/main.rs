//! Agent management.

#![cfg(test)]

mod destinations;
mod edits;
mod effects;
mod manager;
mod permissions;
mod secrets;
mod two_processes;

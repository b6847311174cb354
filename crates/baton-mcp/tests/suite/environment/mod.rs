//! An agent's Environment as clients of both eras see it.

mod asks;
mod bad_input;
mod calls;
mod changes;
mod client;
mod direct;
mod handoff;
mod handoff_state;
mod handoffs;
mod lists;
mod passing;
mod permission;
mod raw;
mod session_calls;
mod sessions;
mod silence;
mod upstream;
mod world;

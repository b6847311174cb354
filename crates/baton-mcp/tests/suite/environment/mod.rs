//! An agent's Environment as seen by clients of both eras.

mod bad_input;
mod calls;
mod changes;
mod client;
mod direct;
mod forwarding;
mod handoff;
mod handoff_service;
mod handoff_state;
mod input_requests;
mod lists;
mod long_calls;
mod permission;
mod raw;
mod session_calls;
mod sessions;
mod upstream;
mod world;

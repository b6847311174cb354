//! What a task, a run, a call and a handoff may and may not do.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod access;
mod budgets;
mod context;
mod doubts;
mod elsewhere;
mod handoffs;
mod hearing;
mod loop_quality;
mod passing;
mod permission_matrix;
mod permissions;
mod rates;
mod resuming;
mod sample;
mod sequences;
mod sessions;
mod steps;
mod tool_parts;
mod windows;

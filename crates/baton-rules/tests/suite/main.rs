//! Rules of tasks, runs, calls and handoffs.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod access;
mod authorization;
mod budgets;
mod context;
mod handoffs;
mod in_doubt;
mod loop_quality;
mod messages;
mod peers;
mod permission_cases;
mod permission_matrix;
mod permissions;
mod question_forwarding;
mod rates;
mod resumption;
mod sample;
mod schemas;
mod sequences;
mod sessions;
mod steps;
mod tool_parts;
mod windows;

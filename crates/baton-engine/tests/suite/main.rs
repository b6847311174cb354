//! The engine: ordinary flows, storage faults, and thousands of simulated crashes.

#![cfg(test)]

mod answering;
mod budgets;
mod built_in_tools;
mod check;
mod context;
mod direct_handoffs;
mod faults;
mod flows;
mod generation;
mod guards;
mod idempotency;
mod isolation;
mod notification_check;
mod peer_network;
mod peers;
#[path = "../../../baton-rules/tests/suite/permission_cases.rs"]
mod permission_cases;
mod permissions;
mod push;
mod push_changes;
mod push_dispatcher;
mod quality;
mod question_forwarding;
mod receivers;
mod sessions;
mod simulation;
mod slow_journal;
mod spans;
mod tool_questions;
mod windows;
mod world;

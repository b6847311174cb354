//! The engine against its promises: ordinary flows, storage faults, and thousands of simulated crashes.

#![cfg(test)]

mod answering;
mod asks;
mod budgets;
mod built_in_tools;
mod changes;
mod check;
mod context;
mod courier;
mod desk;
mod elsewhere;
mod faults;
mod flows;
mod generation;
mod guards;
mod idempotency;
mod isolation;
mod passing;
mod peers;
mod push;
mod quality;
mod receivers;
mod sessions;
mod simulation;
mod slow;
mod spans;
mod told;
mod windows;
mod world;

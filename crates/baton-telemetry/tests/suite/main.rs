//! Tests of the public API of `baton-telemetry`.

#![cfg(test)]

mod handoffs;
mod modes;
mod settings;
mod tracer;

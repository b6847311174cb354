//! What this crate promises, seen from outside.

#![cfg(test)]

mod handoffs;
mod meters;
mod modes;
mod settings;
mod tracer;

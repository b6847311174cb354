//! Behavior of the exporter as receivers see it.

#![cfg(test)]

mod blocked;
mod delivery;
mod environment;
mod fixtures;
mod lines;
mod meters;
mod receiver;
mod refusals;
mod tls;

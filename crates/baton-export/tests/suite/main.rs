//! What this crate promises, seen from outside.

#![cfg(test)]

mod arrivals;
mod blocked;
mod environment;
mod lines;
mod meters;
mod receiver;
mod refusals;
mod sample;
mod secure;

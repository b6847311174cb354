//! What this crate promises, seen from outside.

#![cfg(test)]

mod arrivals;
mod environment;
mod receiver;
mod refusals;
mod sample;

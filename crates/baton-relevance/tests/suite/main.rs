//! What is chosen.

#![cfg(test)]

mod choosing;
mod fifty_rules;
mod shapes;

//! Selection of relevant entries.

#![cfg(test)]

mod fifty_rules;
mod selection;
mod splitting;

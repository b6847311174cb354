//! The repository follows its rules, and every check detects violations.

#![cfg(test)]

mod checks;
mod repository;

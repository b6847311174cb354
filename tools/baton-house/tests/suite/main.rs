//! The repository keeps its rules, and each rule can tell when it does not.

#![cfg(test)]

mod can_fail;
mod repository;

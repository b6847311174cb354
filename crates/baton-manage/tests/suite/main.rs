//! Agent management.

#![cfg(test)]

mod destinations;
mod effects;
mod manager;
mod secrets;

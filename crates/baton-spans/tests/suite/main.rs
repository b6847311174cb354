//! What this crate promises, seen from outside.

#![cfg(test)]

mod kill_loop;
mod meters;
mod naive;
mod outgoing;
mod projector;
mod search_store;
mod store_close;
mod store_crash;
mod store_damage;
mod store_emitter;
mod store_port;
mod store_read;
mod store_repeats;
mod store_sample;
mod wal_torn;

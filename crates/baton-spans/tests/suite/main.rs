//! Tests of the public API of `baton-spans`.

#![cfg(test)]

mod kill_loop;
mod log_reader;
mod meters;
mod naive;
mod projector;
mod search_store;
mod store_close;
mod store_crash;
mod store_damage;
mod store_duplicates;
mod store_emitter;
mod store_port;
mod store_read;
mod store_sample;
mod wal_torn;

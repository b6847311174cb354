//! Client for remote agents against peers that fail in every way.

#![cfg(test)]

mod baton_server;
mod bindings;
mod card_trust;
mod credentials;
mod disconnects;
mod discovery;
mod fake;
mod fixtures;
mod loopback;
mod overlap;
mod registry;
mod scripted_server;
mod sending;
mod spans;
mod streams;
mod tracker;

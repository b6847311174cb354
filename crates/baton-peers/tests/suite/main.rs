//! Agents elsewhere that break in every way, and what is heard of them all the same.

#![cfg(test)]

mod asking;
mod bindings;
mod books;
mod credentials;
mod cutting;
mod discovery;
mod fake;
mod following;
mod networks;
mod outside;
mod overlap;
mod scripted;
mod seen;
mod served;
mod traced;
mod world;

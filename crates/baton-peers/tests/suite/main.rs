//! Agents elsewhere that break in every way, and what is heard of them all the same.

#![cfg(test)]

mod asking;
mod bindings;
mod books;
mod credentials;
mod discovery;
mod fake;
mod following;
mod outside;
mod scripted;
mod seen;
mod served;
mod world;

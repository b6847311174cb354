//! Scripted remote servers and the limits on them.

mod direct;
mod events;
mod fallback;
mod legacy;
mod login;
mod loopback;
mod provider;
mod redirects;
mod renewal;
mod sessions;
mod world;

//! Servers on the network, scripted: what they may do, and what they may not.

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

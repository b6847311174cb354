//! Secured connections: every binding over both protocols, certificates that change, clients that do not fit.

mod files;
mod refusals;
mod rotation;
mod round_trips;
mod world;

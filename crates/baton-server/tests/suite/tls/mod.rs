//! TLS: every binding over HTTP/1.1 and HTTP/2, certificate rotation, and rejected clients.

mod files;
mod refusals;
mod rotation;
mod round_trips;
mod world;

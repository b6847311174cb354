//! Baton's own server.

//! Baton as a client of third-party servers, and of its own server over connections that drop.

mod client_library;
mod command_line;
mod dropped_connections;
mod foreign_server;
mod js_server;
mod old_python_server;
mod python_servers;
mod transcript;

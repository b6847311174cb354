//! Baton as a client of servers that others wrote, and of its own over lines that break.

mod cut;
mod js_server;
mod old_python_server;
mod person;
mod python_servers;
mod served;
mod story;
mod talk;

//! MCP with programs that others wrote: the public conformance suite, clients and servers.

mod conformance;
mod inspector;
mod js_clients;
mod python_client;
mod served;
mod stock;
mod suite;

pub(crate) use served::fixture;

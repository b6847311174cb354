//! MCP interoperability with third-party programs: the public conformance suite, clients and servers.

mod conformance;
mod example_server;
mod inspector;
mod js_clients;
mod python_client;
mod reference_servers;
mod suite;

pub(crate) use example_server::fixture;

//! The real binary, driven as a person would drive it.

#![cfg(test)]

#[cfg(unix)]
mod approvals;
mod authenticated_client;
mod binary;
#[cfg(unix)]
mod bridge;
mod chain;
mod conformance;
mod contextcore_dashboards;
mod convert;
mod costs;
mod crash;
mod dashboards;
mod definitions;
mod demo;
#[cfg(unix)]
mod doctor;
mod elsewhere;
mod export;
mod foreign;
mod help;
#[cfg(unix)]
mod internal_tools;
mod js_client;
mod kill_loop;
mod mcp;
mod metrics;
mod old_python_client;
mod otel;
mod other_signals;
#[cfg(target_os = "linux")]
mod output;
mod parquet;
mod peers;
#[cfg(unix)]
mod possession;
mod push;
mod python_client;
mod relay;
mod retention;
mod run;
mod secrets;
mod serving;
mod sessions;
mod signed_cards;
mod tempo;
mod tokens;
#[cfg(unix)]
mod tools;
#[cfg(unix)]
mod trace;
mod two_agents;

//! Integration tests that run the real binary as a user would.

#![cfg(test)]

#[cfg(unix)]
mod administrators;
#[cfg(unix)]
mod agent_management;
mod answers;
#[cfg(unix)]
mod approvals;
mod authenticated_client;
#[cfg(unix)]
mod autonomous;
mod binary;
#[cfg(unix)]
mod bridge;
#[cfg(target_os = "linux")]
mod browser;
#[cfg(unix)]
mod budgets;
mod caller_servers;
mod calls_in_doubt;
mod chain;
mod clients;
mod conformance;
mod context_windows;
mod contextcore_dashboards;
mod control_sequences;
mod convert;
mod costs;
mod crash;
#[cfg(unix)]
mod damage;
mod dashboards;
#[cfg(unix)]
mod data_dir_access;
mod definitions;
mod demo;
#[cfg(unix)]
mod doctor;
mod export;
mod foreign;
#[cfg(unix)]
mod guards;
mod handoff_reach;
mod help;
#[cfg(unix)]
mod hot_reload;
#[cfg(unix)]
mod internal_tools;
mod js_client;
mod kill_loop;
#[cfg(target_os = "linux")]
mod many_agents;
mod mcp;
mod memory;
mod metrics;
mod models;
mod old_journal;
mod old_python_client;
mod openai_clients;
mod openapi;
mod otel;
mod otlp_signals;
#[cfg(target_os = "linux")]
mod output;
mod parquet;
mod peers;
mod provider;
mod provider_errors;
mod push;
mod python_client;
mod query_floods;
mod readme;
mod relay;
mod remote_agents;
#[cfg(unix)]
mod responses;
mod retention;
mod run;
mod scopes;
mod scripted_peer;
mod secrets;
mod segments;
mod service;
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
mod vectors;

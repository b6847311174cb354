//! The real binary, driven as a person would drive it.

#![cfg(test)]

#[cfg(unix)]
mod administrators;
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
mod chain;
mod clients;
mod conformance;
mod contextcore_dashboards;
mod control_sequences;
mod convert;
mod costs;
mod crash;
#[cfg(unix)]
mod damage;
mod dashboards;
mod definitions;
mod demo;
#[cfg(unix)]
mod doctor;
mod doubts;
mod elsewhere;
mod export;
mod foreign;
#[cfg(unix)]
mod guards;
mod guest_servers;
mod help;
#[cfg(unix)]
mod hot_reload;
#[cfg(unix)]
mod internal_tools;
mod js_client;
mod kill_loop;
mod lent_reach;
#[cfg(unix)]
mod managing;
#[cfg(target_os = "linux")]
mod many;
mod mcp;
mod memory;
mod metrics;
mod models;
mod old_journal;
mod old_python_client;
mod openai_clients;
mod otel;
mod other_signals;
#[cfg(target_os = "linux")]
mod output;
mod parquet;
mod peers;
#[cfg(unix)]
mod possession;
mod provider;
mod provider_errors;
mod push;
mod python_client;
mod query_floods;
mod readme;
mod relay;
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
mod windows;

//! The real binary, driven as a person would drive it.

#![cfg(test)]

mod binary;
mod crash;
mod definitions;
mod demo;
mod foreign;
mod help;
mod kill_loop;
#[cfg(target_os = "linux")]
mod output;
#[cfg(unix)]
mod possession;
mod python_client;
mod retention;
mod run;
mod serving;

//! Agents in code, served and talked to.

mod refused;
mod served;

//! Matching and precedence of permission rules.

mod glob;
mod precedence;
mod server;

pub use glob::glob_matches;
pub use precedence::{RankedPermission, RuleOutcome, RulePrecision, RuleSubject, strongest_rule};
pub use server::ServerToolPermissions;

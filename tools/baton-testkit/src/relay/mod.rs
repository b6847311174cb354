//! Two Batons in two processes: one hands work off to an agent of the other, and both are killed with SIGKILL at random
//! times. Afterwards both histories are checked: every handoff completed and its work was submitted once. The log of a
//! tool with unknown effects must show at most one execution per job.

mod check;
mod run;
mod stage;

pub use run::{RelayOptions, RelayResult, run};

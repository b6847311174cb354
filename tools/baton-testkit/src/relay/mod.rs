//! Two Batons in two processes: one hands work to an agent of the other, and either is ended by SIGKILL at random
//! moments. Afterwards both histories are checked: every handoff ended once, and the work was given once.

mod check;
mod run;
mod stage;

pub use run::{Options, Outcome, run};

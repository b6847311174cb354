//! Two Batons in two processes: one hands work to an agent of the other, and either is ended by SIGKILL at random
//! moments. Afterwards both histories are checked: every handoff completed, and the work was given once; and the log of a
//! tool of unknown effects: it ran at most once for each job.

mod check;
mod run;
mod stage;

pub use run::{Options, Outcome, run};

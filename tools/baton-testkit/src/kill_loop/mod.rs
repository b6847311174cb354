//! Kill loop: the real binary under concurrent sends, streams, handoffs and notifications is killed with SIGKILL at
//! random times, repeatedly, while its clients reconnect and continue. Afterwards the whole history is checked.

mod answer;
pub(crate) mod chance;
pub(crate) mod collect;
mod crowd;
mod deliver;
mod follow;
pub(crate) mod link;
mod notify;
mod run;
mod send;
mod stage;
mod summary;
mod supervise;

pub use run::{KillLoopOptions, KillLoopResult, run};
pub use summary::KillLoopSummary;

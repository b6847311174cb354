//! The kill loop: the real binary under concurrent sends, streams, handoffs and notifications, ended by SIGKILL at
//! random moments, again and again, while clients go on as if nothing had happened. Afterwards the whole history is
//! checked.

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

pub use run::{Options, Outcome, run};
pub use summary::Summary;

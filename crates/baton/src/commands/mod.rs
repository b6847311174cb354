//! One file per subcommand.

pub(crate) mod agents;
pub(crate) mod demo;
pub(crate) mod new;
pub(crate) mod run;
pub(crate) mod up;

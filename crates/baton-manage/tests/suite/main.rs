//! Managing agents.

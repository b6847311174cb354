//! A Tempo elsewhere as a span store, alone or beside the embedded one.
//!
//! Queries go there in canonical TraceQL. This crate must never keep spans itself, and never lets a Tempo that does not
//! answer hide what the embedded store knows.

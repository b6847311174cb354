//! What exporters send and what Tempo's clients read.

mod answers;
mod bounds;
mod forms;
mod generate;
mod round_trip;

//! What waits for a caller, and the answers to it.

mod answers;
mod listed;
mod office;
mod peers;

//! Pending approvals and their answers.

mod answers;
mod fixture;
mod list;
mod peers;

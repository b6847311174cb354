//! Pending requests for input across all tasks of a caller: tool approvals, forms, URLs to visit and text questions.
//!
//! A question is listed once, at the task that made the call. A parent task that only relays the question of a handoff
//! target does not list it again. An answer is an ordinary message to that task; tasks that wait for it continue
//! automatically.

mod answer;
mod list;
mod open;

pub use answer::{AnswerApproval, ApprovalDecision, ApprovalError, QuestionAnswer};
pub use list::{ApprovalPage, ListApprovals};
pub use open::{Approval, ApprovalKind, ApprovalQuestion, ApprovalRef};

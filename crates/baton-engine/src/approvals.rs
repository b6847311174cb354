//! What waits for a person: calls that need leave, forms, addresses to visit and plain questions, of all of a caller's
//! tasks.
//!
//! A question is listed once, at the task whose call it is: a task that only shows the question of an agent that it
//! handed work to does not list it again. Answering is a message to that task like any other; whoever waits for it goes
//! on by itself.

mod answer;
mod list;
mod open;

pub use answer::{AnswerApproval, ApprovalDecision, ApprovalError, QuestionAnswer};
pub use list::{ApprovalPage, ListApprovals};
pub use open::{Approval, ApprovalKind, ApprovalQuestion, ApprovalRef};

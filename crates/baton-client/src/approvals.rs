//! Pending approvals and questions.

use crate::{Client, ClientError};
use baton_api::{AnswerApproval, AnsweredApproval, ApprovalEntry, ApprovalList};
use baton_encoding::path_segment;
use std::fmt::Write as _;

impl Client {
    /// A page of pending approvals, newest first, optionally of one agent or task.
    pub async fn approvals(
        &self,
        agent: Option<&str>,
        root_task: Option<&str>,
        page_token: Option<&str>,
    ) -> Result<ApprovalList, ClientError> {
        let mut path = "/api/v1/approvals?page_size=100".to_owned();
        for (name, value) in [("agent", agent), ("root_task_id", root_task), ("page_token", page_token)] {
            if let Some(value) = value {
                let _ = write!(path, "&{name}={}", path_segment(value));
            }
        }
        self.document(&path).await
    }

    /// A pending approval by id.
    pub async fn approval(&self, id: &str) -> Result<ApprovalEntry, ClientError> {
        self.document(&path(id)).await
    }

    /// Answers an approval; returns as soon as the answer is stored.
    pub async fn answer_approval(&self, id: &str, answer: &AnswerApproval) -> Result<AnsweredApproval, ClientError> {
        self.post(&path(id), answer).await
    }
}

/// Task ids contain no slash; the part after the first slash is the call id.
fn path(id: &str) -> String {
    let (task, call) = id.split_once('/').unwrap_or((id, "-"));
    format!("/api/v1/approvals/{}/{}", path_segment(task), path_segment(call))
}

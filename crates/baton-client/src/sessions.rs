//! Conversations as a whole.

use crate::{Client, ClientError};
use baton_wire::{
    api::{
        ChangeSession, ChangedSession, DeletedSession, ForkSession, ImportedSession, SessionDetails, SessionList,
        SessionSummary,
    },
    path_segment,
};
use bytes::Bytes;
use std::fmt::Write as _;

/// Which session is meant: by its context, and by its agent where several agents have one of that name.
#[derive(Clone, Copy, Debug)]
pub struct SessionName<'a> {
    /// The conversation.
    pub context: &'a str,
    /// With whom.
    pub agent: Option<&'a str>,
}

/// How a session is written into a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionForm {
    /// Everything, for programs.
    Json,
    /// What was said, for people.
    Markdown,
}

impl SessionName<'_> {
    fn path(self, below: &str) -> String {
        let mut path = format!("/api/v1/sessions/{}{below}", path_segment(self.context));
        if let Some(agent) = self.agent {
            let _ = write!(path, "?agent={}", path_segment(agent));
        }
        path
    }

    fn path_with(self, below: &str, name: &str, value: &str) -> String {
        let path = self.path(below);
        let mark = if self.agent.is_some() { '&' } else { '?' };
        format!("{path}{mark}{name}={value}")
    }
}

impl Client {
    /// A page of the caller's sessions, those in which something happened last first.
    pub async fn sessions(&self, agent: Option<&str>, page_token: Option<&str>) -> Result<SessionList, ClientError> {
        let mut path = "/api/v1/sessions?page_size=100".to_owned();
        for (name, value) in [("agent", agent), ("page_token", page_token)] {
            if let Some(value) = value {
                let _ = write!(path, "&{name}={}", path_segment(value));
            }
        }
        self.document(&path).await
    }

    /// One session with everything that was said in it.
    pub async fn session(&self, session: SessionName<'_>) -> Result<SessionDetails<'static>, ClientError> {
        self.document(&session.path("")).await
    }

    /// Changes its title, settings, or what is part of its requests.
    pub async fn change_session(
        &self,
        session: SessionName<'_>,
        change: &ChangeSession,
    ) -> Result<ChangedSession, ClientError> {
        self.patch(&session.path(""), change).await
    }

    /// Makes all its settings the agent's again.
    pub async fn reset_session(&self, session: SessionName<'_>) -> Result<ChangedSession, ClientError> {
        self.delete(&session.path("/settings")).await
    }

    /// Makes its settings the agent's own.
    pub async fn save_session(&self, session: SessionName<'_>) -> Result<ChangedSession, ClientError> {
        self.post(&session.path("/settings/save"), &serde_json::json!({})).await
    }

    /// Begins another session with what was said in this one.
    pub async fn fork_session(
        &self,
        session: SessionName<'_>,
        fork: &ForkSession,
    ) -> Result<SessionSummary, ClientError> {
        self.post(&session.path("/fork"), fork).await
    }

    /// The session as a file.
    pub async fn export_session(&self, session: SessionName<'_>, form: SessionForm) -> Result<Bytes, ClientError> {
        let form = match form {
            SessionForm::Json => "json",
            SessionForm::Markdown => "markdown",
        };
        self.file(&session.path_with("/export", "format", form)).await
    }

    /// Begins a session with what a file says: with the agent and under the name that are given, if they are.
    pub async fn import_session(
        &self,
        file: Bytes,
        form: SessionForm,
        agent: Option<&str>,
        context: Option<&str>,
    ) -> Result<ImportedSession, ClientError> {
        let kind = match form {
            SessionForm::Json => "application/json",
            SessionForm::Markdown => "text/markdown",
        };
        let mut path = "/api/v1/sessions".to_owned();
        for (name, value) in [("agent", agent), ("context", context)] {
            if let Some(value) = value {
                let mark = if path.contains('?') { '&' } else { '?' };
                let _ = write!(path, "{mark}{name}={}", path_segment(value));
            }
        }
        self.post_file(&path, kind, file).await
    }

    /// Forgets a session; by force, also when work in it has not ended.
    pub async fn delete_session(&self, session: SessionName<'_>, force: bool) -> Result<DeletedSession, ClientError> {
        self.delete(&session.path_with("", "force", if force { "true" } else { "false" })).await
    }
}

//! Sessions.

use crate::{Client, ClientError};
use baton_api::{
    ChangeSession, ChangedSession, DeletedSession, ForkSession, ImportedSession, SessionDetails, SessionList,
    SessionSummary,
};
use baton_encoding::path_segment;
use baton_wire::a2a::v1::Message;
use bytes::Bytes;
use std::fmt::Write as _;

/// Identifies a session by its context, and by its agent if several agents have a session of that name.
#[derive(Clone, Copy, Debug)]
pub struct SessionName<'a> {
    /// Context id.
    pub context: &'a str,
    /// Agent of the session.
    pub agent: Option<&'a str>,
}

/// File format of an exported session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionFormat {
    /// Complete, for programs.
    Json,
    /// Messages only, for people.
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
    /// A page of the caller's sessions, most recent activity first.
    pub async fn sessions(&self, agent: Option<&str>, page_token: Option<&str>) -> Result<SessionList, ClientError> {
        let mut path = "/api/v1/sessions?page_size=100".to_owned();
        for (name, value) in [("agent", agent), ("page_token", page_token)] {
            if let Some(value) = value {
                let _ = write!(path, "&{name}={}", path_segment(value));
            }
        }
        self.document(&path).await
    }

    /// A session with all its messages.
    pub async fn session(&self, session: SessionName<'_>) -> Result<SessionDetails<Message<'static>>, ClientError> {
        self.document(&session.path("")).await
    }

    /// Changes title, settings or included items of a session.
    pub async fn change_session(
        &self,
        session: SessionName<'_>,
        change: &ChangeSession,
    ) -> Result<ChangedSession, ClientError> {
        self.patch(&session.path(""), change).await
    }

    /// Resets all settings to those of the agent.
    pub async fn reset_session(&self, session: SessionName<'_>) -> Result<ChangedSession, ClientError> {
        self.delete(&session.path("/settings")).await
    }

    /// Saves the session's settings in the agent's definition.
    pub async fn save_session(&self, session: SessionName<'_>) -> Result<ChangedSession, ClientError> {
        self.post(&session.path("/settings/save"), &serde_json::json!({})).await
    }

    /// Creates a session with a copy of this session's messages.
    pub async fn fork_session(
        &self,
        session: SessionName<'_>,
        fork: &ForkSession,
    ) -> Result<SessionSummary, ClientError> {
        self.post(&session.path("/fork"), fork).await
    }

    /// Exports a session as a file.
    pub async fn export_session(&self, session: SessionName<'_>, form: SessionFormat) -> Result<Bytes, ClientError> {
        let form = match form {
            SessionFormat::Json => "json",
            SessionFormat::Markdown => "markdown",
        };
        self.file(&session.path_with("/export", "format", form)).await
    }

    /// Creates a session from a file, optionally with another agent and context id.
    pub async fn import_session(
        &self,
        file: Bytes,
        form: SessionFormat,
        agent: Option<&str>,
        context: Option<&str>,
    ) -> Result<ImportedSession, ClientError> {
        let kind = match form {
            SessionFormat::Json => "application/json",
            SessionFormat::Markdown => "text/markdown",
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

    /// Deletes a session; `force` also deletes one with unfinished tasks.
    pub async fn delete_session(&self, session: SessionName<'_>, force: bool) -> Result<DeletedSession, ClientError> {
        self.delete(&session.path_with("", "force", if force { "true" } else { "false" })).await
    }
}

//! What holds for the tools of a task: what its agent's definition says, and what its caller said for this session.

use crate::{Session, Task};
use baton_types::{AgentSpec, AskWhen, Role};
use serde::Deserialize;

/// The member of a message's metadata in which callers say what holds for their session.
pub const SESSION_MEMBER: &str = "dev.baton/session";

/// What holds for the tools of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionSettings {
    /// Whether nobody is there to be asked.
    pub autonomous: bool,
    /// When somebody is asked.
    pub ask: AskWhen,
    /// Tools that somebody named.
    pub included: Vec<String>,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(rename = "dev.baton/session")]
    session: Option<Said>,
}

#[derive(Deserialize)]
struct Said {
    tool_permission: Option<AskWhen>,
    #[serde(default)]
    include: Vec<String>,
}

impl SessionSettings {
    /// Reads what holds now; the last word counts.
    pub fn of(task: &Task, agent: &AgentSpec) -> Self {
        let autonomous = task.autonomous || agent.autonomous;
        let mut settings = Self { autonomous, ask: agent.policy.ask, included: Vec::new() };
        let said = task.history.iter().chain(&task.waiting).filter(|message| message.role == Role::User);
        for metadata in said.filter_map(|message| message.metadata.as_ref()) {
            if !metadata.as_str().contains(SESSION_MEMBER) {
                continue;
            }
            let Some(said) = metadata.read::<Metadata>().ok().and_then(|metadata| metadata.session) else { continue };
            settings.ask = said.tool_permission.unwrap_or(settings.ask);
            settings.included.extend(said.include);
        }
        settings
    }

    /// The same for deciding.
    pub fn session(&self) -> Session<'_> {
        Session { autonomous: self.autonomous, ask: self.ask, included: &self.included }
    }
}

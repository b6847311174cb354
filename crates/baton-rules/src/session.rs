//! What holds for the tools of a task: what its agent's definition says, and what its caller said for this session.

use crate::{Session, SessionRecord, Task};
use baton_types::{AgentSpec, AskWhen, Include, ItemKind, ItemName, RequestContext, Role, ToolSpec};
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
    /// Tools that are left out, whatever the definition says.
    pub excluded: Vec<String>,
    /// Tools that were chosen by what is asked; before anything is chosen, all that may be are there.
    pub chosen: Option<Vec<String>>,
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
        let ask = agent.policy.ask;
        let chosen = task.request.as_ref().map(|(_, request)| chosen_tools(request));
        let mut settings = Self { autonomous, ask, included: Vec::new(), excluded: Vec::new(), chosen };
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

    /// Adds what was said about the session as a whole.
    #[must_use]
    pub fn with_record(mut self, record: &SessionRecord) -> Self {
        let tools = |items: &[ItemName]| {
            let tools = items.iter().filter(|item| item.kind == ItemKind::Tool);
            tools.map(|item| item.name.clone()).collect::<Vec<_>>()
        };
        self.included.extend(tools(&record.included));
        self.excluded.extend(tools(&record.excluded));
        self
    }

    /// Why a tool is not part of the session or the request, whatever may run in it; goes on from "because".
    pub fn leaves_out(&self, tool: &ToolSpec) -> Option<&'static str> {
        let known = tool.at_server().map_or(tool.name.as_str(), |(_, tool)| tool);
        let names = |list: &[String]| list.iter().any(|name| *name == tool.name || name == known);
        let is_chosen = || self.chosen.as_ref().is_none_or(|chosen| chosen.contains(&tool.name));
        match tool.include {
            _ if names(&self.excluded) => Some("it was taken out of this session; do without it, or use another tool"),
            Include::Agent if !names(&self.included) && !is_chosen() => {
                Some("it was not chosen for this request; do without it, or use another tool")
            }
            _ => None,
        }
    }

    /// The same for deciding.
    pub fn session(&self) -> Session<'_> {
        Session { autonomous: self.autonomous, ask: self.ask, included: &self.included }
    }
}

fn chosen_tools(request: &RequestContext) -> Vec<String> {
    let tools = request.items.iter().filter(|item| item.kind == ItemKind::Tool && item.include == Include::Agent);
    tools.map(|item| item.name.clone()).collect()
}

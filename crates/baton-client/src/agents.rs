//! Who is served, and the definitions of those that live there.

use crate::{Client, ClientError};
use baton_wire::{
    api::{AgentDetails, AgentEntry, AgentItem, AgentItemList, AgentList, CreateAgent},
    path_segment,
};

/// Which texts of an agent are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentTexts {
    /// How it should behave.
    Rules,
    /// What it can rely on.
    References,
}

impl AgentTexts {
    fn path(self, agent: &str, name: Option<&str>) -> String {
        let kind = match self {
            Self::Rules => "rules",
            Self::References => "references",
        };
        let all = format!("/api/v1/agents/{}/{kind}", path_segment(agent));
        name.map_or(all.clone(), |name| format!("{all}/{}", path_segment(name)))
    }
}

impl Client {
    /// The agents that are served.
    pub async fn agents(&self) -> Result<Vec<AgentEntry>, ClientError> {
        self.document::<AgentList>("/agents").await.map(|list| list.agents)
    }

    /// Makes an agent; for administrators.
    pub async fn create_agent(&self, agent: &CreateAgent) -> Result<AgentDetails, ClientError> {
        self.post("/api/v1/agents", agent).await
    }

    /// The rules or references of an agent, without their texts.
    pub async fn agent_texts(&self, texts: AgentTexts, agent: &str) -> Result<AgentItemList, ClientError> {
        self.document(&texts.path(agent, None)).await
    }

    /// One rule or reference.
    pub async fn agent_text(&self, texts: AgentTexts, agent: &str, name: &str) -> Result<AgentItem, ClientError> {
        self.document(&texts.path(agent, Some(name))).await
    }

    /// Makes a rule or reference, or changes what is given of the one that is there; for administrators.
    pub async fn put_agent_text(
        &self,
        texts: AgentTexts,
        agent: &str,
        item: &AgentItem,
    ) -> Result<AgentItem, ClientError> {
        self.put(&texts.path(agent, Some(&item.name)), item).await
    }

    /// Takes a rule or reference away, and says what it was; for administrators.
    pub async fn delete_agent_text(
        &self,
        texts: AgentTexts,
        agent: &str,
        name: &str,
    ) -> Result<AgentItem, ClientError> {
        self.delete(&texts.path(agent, Some(name))).await
    }
}

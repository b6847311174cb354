//! Tool permissions granted for the rest of a session.

use super::{Driver, Halt};
use crate::open::fold;
use baton_ports::StreamQuery;
use baton_types::{AgentName, ContextId, SessionGrant};

/// Maximum tasks of a session searched for a grant, newest first.
const MAX_SEARCHED_TASKS: usize = 100;

impl Driver {
    /// Whether the tool was allowed for this agent in the session: in this task, in an earlier task of its context, or
    /// in the context of the root task.
    pub(super) async fn is_granted(&self, tool: &str) -> Result<bool, Halt> {
        let (agent, own, contexts) = {
            let task = &self.live.lock().task;
            let session = task.parent.as_ref().and_then(|link| link.session.clone());
            let contexts: Vec<ContextId> = std::iter::once(task.context.clone()).chain(session).collect();
            (task.agent.clone(), is_granted(&task.grants, &task.agent, tool), contexts)
        };
        if own {
            return Ok(true);
        }
        self.flush();
        for context in contexts {
            let query = StreamQuery { context: Some(context), ..StreamQuery::tasks(MAX_SEARCHED_TASKS) };
            for head in self.inner.journal().list(&self.live.owner, &query).await?.heads {
                let Some(id) = head.task().filter(|id| **id != self.live.id) else { continue };
                let Some(loaded) = self.inner.journal().load(None, &head.stream).await? else { continue };
                if is_granted(&fold(id, &loaded)?.grants, &agent, tool) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

fn is_granted(grants: &[SessionGrant], agent: &AgentName, tool: &str) -> bool {
    grants.iter().any(|grant| grant.agent == *agent && grant.tool == tool)
}

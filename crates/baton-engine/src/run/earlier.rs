//! What was said in a conversation before the task.

use super::{Driver, Halt};
use crate::open::fold;
use baton_ports::ListQuery;
use baton_rules::Task;
use baton_types::Message;

/// Earlier tasks of the conversation that the model is reminded of.
const EARLIER_TASKS: usize = 50;

impl Driver {
    /// What was said in the same conversation before this task, read once: an autonomous run remembers nothing, and one
    /// that begins the conversation has nothing to remember.
    pub(super) async fn earlier(&self) -> Result<&[Message], Halt> {
        {
            let cell = self.live.lock();
            if cell.first_of_context || cell.task.autonomous {
                return Ok(&[]);
            }
        }
        Ok(self.earlier.get_or_try_init(|| self.read_earlier()).await?)
    }

    /// What the conversation was taken over with, then its tasks as their caller saw them.
    async fn read_earlier(&self) -> Result<Vec<Message>, Halt> {
        let (agent, context, created) = {
            let cell = self.live.lock();
            (cell.task.agent.clone(), cell.task.context.clone(), cell.task.created_at)
        };
        self.flush();
        let record = self.session.lock().clone();
        let taken_over = record.iter().flat_map(|record| &record.history).filter(|entry| !entry.notice);
        let mut earlier: Vec<Message> = taken_over.map(|entry| entry.message.clone()).collect();
        let query = ListQuery { agent: Some(agent), context: Some(context), ..ListQuery::tasks(EARLIER_TASKS) };
        let page = self.inner.journal().list(&self.live.owner, &query).await?;
        let mut tasks = Vec::new();
        for head in page.heads {
            let Some(id) = head.task().filter(|id| **id != self.live.id) else { continue };
            if let Some(loaded) = self.inner.journal().load(None, &head.stream).await? {
                tasks.push(fold(id, &loaded)?);
            }
        }
        tasks.retain(|task| {
            (task.created_at, &task.id) < (created, &self.live.id) && task.open_calls().next().is_none()
        });
        tasks.sort_by(|left, right| (left.created_at, &left.id).cmp(&(right.created_at, &right.id)));
        earlier.extend(tasks.iter().flat_map(Task::seen_history));
        Ok(earlier)
    }
}

//! What was said in a conversation before the task.

use super::{Driver, Halt};
use crate::open::fold;
use baton_ports::ListQuery;
use baton_rules::Task;
use baton_types::{Compaction, Message, MessageId};

/// Earlier tasks that are looked at together.
const PAGE: usize = 50;

/// Earlier tasks of the conversation that the model is reminded of, unless a summary stands for them.
const EARLIER_TASKS: usize = 400;

/// What came before a task.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    /// What was said, as its caller saw it, from where the summary ends.
    pub(super) messages: Vec<Message>,
    /// What stands for what was said before that.
    pub(super) compaction: Option<Compaction>,
}

impl Driver {
    /// What was said in the same conversation before this task, read once: an autonomous run remembers nothing, and one
    /// that begins the conversation has nothing to remember.
    pub(super) async fn earlier(&self) -> Result<&Earlier, Halt> {
        static NOTHING: Earlier = Earlier { messages: Vec::new(), compaction: None };
        {
            let cell = self.live.lock();
            if cell.first_of_context || cell.task.autonomous {
                return Ok(&NOTHING);
            }
        }
        self.earlier.get_or_try_init(|| self.read_earlier()).await
    }

    /// What the conversation was taken over with, then its tasks as their caller saw them, newest first until one is
    /// found up to which a summary tells everything.
    async fn read_earlier(&self) -> Result<Earlier, Halt> {
        let (agent, context, created) = {
            let cell = self.live.lock();
            (cell.task.agent.clone(), cell.task.context.clone(), cell.task.created_at)
        };
        self.flush();
        let mut query = ListQuery { agent: Some(agent), context: Some(context), ..ListQuery::tasks(PAGE) };
        let mut tasks: Vec<Task> = Vec::new();
        let mut looked_at = 0;
        'pages: loop {
            let page = self.inner.journal().list(&self.live.owner, &query).await?;
            for head in page.heads {
                looked_at += 1;
                let Some(id) = head.task().filter(|id| **id != self.live.id) else { continue };
                let Some(loaded) = self.inner.journal().load(None, &head.stream).await? else { continue };
                let task = fold(id, &loaded)?;
                let is_earlier = (task.created_at, &task.id) < (created, &self.live.id);
                if !is_earlier || task.open_calls().next().is_some() {
                    continue;
                }
                tasks.push(task);
                if newest(&tasks).is_some_and(|(_, through)| tasks.iter().any(|task| holds(&task.history, through))) {
                    break 'pages;
                }
            }
            match page.next {
                Some(next) if looked_at < EARLIER_TASKS => query.after = Some(next),
                _ => break,
            }
        }
        tasks.sort_by(|left, right| (left.created_at, &left.id).cmp(&(right.created_at, &right.id)));
        let found = newest(&tasks).map(|(task, through)| (task.compaction.clone(), through.clone()));
        let record = self.session.lock().clone();
        let taken_over = record.iter().flat_map(|record| &record.history).filter(|entry| !entry.notice);
        let mut messages: Vec<Message> = taken_over.map(|entry| entry.message.clone()).collect();
        let (compaction, through) = found.unzip();
        if through.as_ref().is_some_and(|through| !holds(&messages, through)) {
            messages.clear();
        }
        messages.extend(tasks.iter().flat_map(Task::seen_history));
        let told = through.and_then(|through| messages.iter().rposition(|message| message.id == through));
        messages.drain(..told.map_or(0, |at| at + 1));
        Ok(Earlier { messages, compaction: compaction.flatten() })
    }
}

/// The newest compaction among the tasks, and up to where it tells. What an autonomous task left out was only its own.
fn newest(tasks: &[Task]) -> Option<(&Task, &MessageId)> {
    let compacted = tasks.iter().filter(|task| !task.autonomous).filter_map(|task| {
        let through = task.compaction.as_ref()?.through.as_ref()?;
        Some((task, through))
    });
    compacted.max_by(|(left, _), (right, _)| (left.created_at, &left.id).cmp(&(right.created_at, &right.id)))
}

fn holds(messages: &[Message], id: &MessageId) -> bool {
    messages.iter().any(|message| message.id == *id)
}

//! Messages of the context before the current task.

use super::{Driver, Halt};
use crate::open::fold;
use baton_ports::StreamQuery;
use baton_rules::TaskRecord;
use baton_types::{Compaction, Message, MessageId};

/// Earlier tasks read per page.
const PAGE: usize = 50;

/// Maximum earlier tasks included, unless a summary covers them.
const EARLIER_TASKS: usize = 400;

/// History of the context before a task.
#[derive(Debug, Default)]
pub(crate) struct EarlierHistory {
    /// Caller-visible messages after the end of the summary.
    pub(super) messages: Vec<Message>,
    /// Compaction of the messages before those.
    pub(super) compaction: Option<Compaction>,
}

impl Driver {
    /// Earlier messages of the context, read once. Empty for an autonomous run and for the first task of a context.
    pub(super) async fn earlier(&self) -> Result<&EarlierHistory, Halt> {
        static EMPTY_HISTORY: EarlierHistory = EarlierHistory { messages: Vec::new(), compaction: None };
        {
            let cell = self.live.lock();
            if cell.first_of_context || cell.task.autonomous {
                return Ok(&EMPTY_HISTORY);
            }
        }
        self.earlier.get_or_try_init(|| Box::pin(self.read_earlier())).await
    }

    /// Reads the imported history, then the tasks as seen by their caller, newest first until one contains the end of a
    /// summary.
    async fn read_earlier(&self) -> Result<EarlierHistory, Halt> {
        let (agent, context, created) = {
            let cell = self.live.lock();
            (cell.task.agent.clone(), cell.task.context.clone(), cell.task.created_at)
        };
        self.flush();
        let mut query = StreamQuery { agent: Some(agent), context: Some(context), ..StreamQuery::tasks(PAGE) };
        let mut tasks: Vec<TaskRecord> = Vec::new();
        let mut scanned = 0;
        'pages: loop {
            let page = self.inner.journal().list(&self.live.owner, &query).await?;
            for head in page.heads {
                scanned += 1;
                let Some(id) = head.task().filter(|id| **id != self.live.id) else { continue };
                let Some(loaded) = self.inner.journal().load(None, &head.stream).await? else { continue };
                let task = fold(id, &loaded)?;
                let is_earlier = (task.created_at, &task.id) < (created, &self.live.id);
                if !is_earlier || task.open_calls().next().is_some() {
                    continue;
                }
                tasks.push(task);
                if newest_compaction(&tasks)
                    .is_some_and(|(_, through)| tasks.iter().any(|task| contains_message(&task.history, through)))
                {
                    break 'pages;
                }
            }
            match page.next {
                Some(next) if scanned < EARLIER_TASKS => query.after = Some(next),
                _ => break,
            }
        }
        tasks.sort_by(|left, right| (left.created_at, &left.id).cmp(&(right.created_at, &right.id)));
        let found = newest_compaction(&tasks).map(|(task, through)| (task.compaction.clone(), through.clone()));
        let record = self.session.lock().clone();
        let imported = record.iter().flat_map(|record| &record.history).filter(|entry| !entry.notice);
        let mut messages: Vec<Message> = imported.map(|entry| entry.message.clone()).collect();
        let (compaction, through) = found.unzip();
        if through.as_ref().is_some_and(|through| !contains_message(&messages, through)) {
            messages.clear();
        }
        messages.extend(tasks.iter().flat_map(TaskRecord::visible_history));
        let last_covered = through.and_then(|through| messages.iter().rposition(|message| message.id == through));
        messages.drain(..last_covered.map_or(0, |at| at + 1));
        Ok(EarlierHistory { messages, compaction: compaction.flatten() })
    }
}

/// The newest compaction and the last message it covers. Compactions of autonomous tasks apply only to themselves.
fn newest_compaction(tasks: &[TaskRecord]) -> Option<(&TaskRecord, &MessageId)> {
    let compacted = tasks.iter().filter(|task| !task.autonomous).filter_map(|task| {
        let through = task.compaction.as_ref()?.through.as_ref()?;
        Some((task, through))
    });
    compacted.max_by(|(left, _), (right, _)| (left.created_at, &left.id).cmp(&(right.created_at, &right.id)))
}

fn contains_message(messages: &[Message], id: &MessageId) -> bool {
    messages.iter().any(|message| message.id == *id)
}

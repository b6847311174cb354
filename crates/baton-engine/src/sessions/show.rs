//! Reads the full transcript of a session.

use super::{SessionError, SessionRef};
use crate::{Engine, EngineError, engine::EngineInner};
use baton_ports::{ConversationSummary, JournalError, StoredEvent, StreamQuery};
use baton_rules::{SessionRecord, Transcript};
use baton_types::{JournalEvent, Principal, SessionEntry, SessionId, StreamId, TaskId};
use std::sync::Arc;

/// Tasks, and events per task, read per page.
const CHUNK: usize = 500;

/// Maximum size of a transcript that is shown, forked or imported.
const MAX_SESSION_ENTRIES: usize = 20_000;
const MAX_SESSION_BYTES: usize = 32 * 1024 * 1024;

/// A session with its transcript.
#[derive(Clone, Debug)]
pub struct SessionView {
    /// The stored conversation.
    pub conversation: ConversationSummary,
    /// The session record.
    pub record: Option<SessionRecord>,
    /// Transcript, oldest first.
    pub lines: Vec<SessionLine>,
}

/// One line of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLine {
    /// The entry.
    pub entry: SessionEntry,
    /// The task and event number of the entry; none for imported entries and notices.
    pub place: Option<(TaskId, u64)>,
}

impl Engine {
    /// Returns a session of the caller with its transcript.
    pub async fn session(
        &self,
        principal: &Arc<Principal>,
        reference: &SessionRef,
    ) -> Result<SessionView, SessionError> {
        let conversation = self.inner.conversation(principal, reference).await?;
        self.inner.view(principal, conversation, None).await
    }

    /// Returns a conversation of the caller and its session record.
    pub async fn session_record(
        &self,
        principal: &Arc<Principal>,
        reference: &SessionRef,
    ) -> Result<(ConversationSummary, Option<SessionRecord>), SessionError> {
        let conversation = self.inner.conversation(principal, reference).await?;
        let record = self.inner.session_record(principal, &conversation.agent, &conversation.context).await?;
        Ok((conversation, record))
    }
}

impl EngineInner {
    /// The session up to and including the event with this journal sequence.
    pub(super) async fn view(
        &self,
        principal: &Principal,
        conversation: ConversationSummary,
        until: Option<u64>,
    ) -> Result<SessionView, SessionError> {
        let is_past = |event: &StoredEvent| until.is_none_or(|until| event.seq <= until);
        let (record, notices) = self.record_and_notices(principal, &conversation).await?;
        let mut room = SessionSizeLimit::default();
        let mut lines = Vec::new();
        for entry in record.iter().flat_map(|record| &record.history) {
            room.add(entry)?;
            lines.push((0, SessionLine { entry: entry.clone(), place: None }));
        }
        for task in self.tasks_of(principal, &conversation).await? {
            let stream = StreamId::Task(task.clone());
            let corrupt =
                |problem: &str| EngineError::Journal(JournalError::Corrupt(format!("task {task}: {problem}")));
            let mut transcript = Transcript::default();
            let mut seqs = Vec::new();
            self.each_event(&stream, |event| {
                if !is_past(event) {
                    return Ok(());
                }
                seqs.push(event.seq);
                let JournalEvent::Task(fact) = &event.fact else {
                    return Err(corrupt("it contains events of another type"));
                };
                transcript.apply(&task, event.at, fact).map_err(|illegal| corrupt(&illegal.to_string()))
            })
            .await?;
            for (entry, number) in transcript.into_entries() {
                room.add(&entry)?;
                let index = usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
                let seq = seqs.get(index).copied().unwrap_or(0);
                lines.push((seq, SessionLine { entry, place: Some((task.clone(), number)) }));
            }
        }
        for (seq, notice) in notices.into_iter().filter(|(seq, _)| until.is_none_or(|until| *seq <= until)) {
            let index = lines.iter().position(|(other, _)| *other > seq).unwrap_or(lines.len());
            lines.insert(index, (seq, SessionLine { entry: notice, place: None }));
        }
        let lines = lines.into_iter().map(|(_, line)| line).collect();
        Ok(SessionView { conversation, record, lines })
    }

    /// The session record, and its notices with their sequences.
    async fn record_and_notices(
        &self,
        principal: &Principal,
        conversation: &ConversationSummary,
    ) -> Result<(Option<SessionRecord>, Vec<(u64, SessionEntry)>), SessionError> {
        let stream = StreamId::Session(SessionId::derive(principal, &conversation.agent, &conversation.context));
        let corrupt = || EngineError::Journal(JournalError::Corrupt(format!("session {}", stream.id())));
        let mut record: Option<SessionRecord> = None;
        let mut notices = Vec::new();
        self.each_event(&stream, |event| {
            let JournalEvent::Session(fact) = &event.fact else { return Err(corrupt()) };
            match &mut record {
                None => record = Some(SessionRecord::from_opened(event.at, fact).map_err(|_| corrupt())?),
                Some(record) => {
                    notices.extend(record.notice_for(event.at, fact).map(|notice| (event.seq, notice)));
                    record.apply(event.at, fact).map_err(|_| corrupt())?;
                }
            }
            Ok(())
        })
        .await?;
        Ok((record, notices))
    }

    /// The tasks of a conversation by creation time.
    async fn tasks_of(
        &self,
        principal: &Principal,
        conversation: &ConversationSummary,
    ) -> Result<Vec<TaskId>, SessionError> {
        let (agent, context) = (Some(conversation.agent.clone()), Some(conversation.context.clone()));
        let mut query = StreamQuery { agent, context, ..StreamQuery::tasks(CHUNK) };
        let mut tasks = Vec::new();
        loop {
            let page = self.journal().list(principal, &query).await?;
            tasks.extend(page.heads.into_iter().filter_map(|head| Some((head.created_at, head.task()?.clone()))));
            if tasks.len() > MAX_SESSION_ENTRIES {
                return Err(SessionError::TooLarge { limit: MAX_SESSION_ENTRIES, of: "tasks" });
            }
            match page.next {
                Some(next) => query.after = Some(next),
                None => break,
            }
        }
        tasks.sort();
        // A task whose status changes between two pages may be on both.
        tasks.dedup();
        Ok(tasks.into_iter().map(|(_, task)| task).collect())
    }

    /// Calls `take` for every event of a stream, oldest first.
    async fn each_event(
        &self,
        stream: &StreamId,
        mut take: impl FnMut(&StoredEvent) -> Result<(), EngineError> + Send,
    ) -> Result<(), SessionError> {
        let mut after = 0;
        loop {
            let events = self.journal().events(stream, after, CHUNK).await?;
            for event in &events {
                take(event)?;
                after = event.number;
            }
            if events.len() < CHUNK {
                return Ok(());
            }
        }
    }
}

/// Counter for the size limits of a transcript.
#[derive(Default)]
pub(super) struct SessionSizeLimit {
    entries: usize,
    bytes: usize,
}

impl SessionSizeLimit {
    pub(super) fn add(&mut self, entry: &SessionEntry) -> Result<(), SessionError> {
        self.entries += 1;
        self.bytes += entry.weight();
        if self.entries > MAX_SESSION_ENTRIES {
            return Err(SessionError::TooLarge { limit: MAX_SESSION_ENTRIES, of: "messages" });
        }
        if self.bytes > MAX_SESSION_BYTES {
            return Err(SessionError::TooLarge { limit: MAX_SESSION_BYTES, of: "bytes" });
        }
        Ok(())
    }
}

//! Reads and updates session records.

use crate::{EngineError, engine::EngineInner, send::internal};
use baton_ports::{Commit, JournalError, LoadedStream, StreamHeadUpdate, Write};
use baton_rules::SessionRecord;
use baton_types::{AgentName, ContextId, JournalEvent, Json, Principal, SessionEvent, SessionId, StreamId, Timestamp};
use std::sync::Arc;

/// Maximum attempts on concurrent writes.
const MAX_WRITE_ATTEMPTS: usize = 16;

/// Events between two snapshots.
const SNAPSHOT_INTERVAL: u64 = 64;

/// Sessions have no leases, so the epoch stays constant.
const EPOCH: u64 = 1;

impl EngineInner {
    /// The session record; `None` if there is none.
    pub(crate) async fn session_record(
        &self,
        owner: &Principal,
        agent: &AgentName,
        context: &ContextId,
    ) -> Result<Option<SessionRecord>, EngineError> {
        let stream = StreamId::Session(SessionId::derive(owner, agent, context));
        let loaded = self.journal().load(Some(owner), &stream).await?;
        loaded.as_ref().map(fold_session).transpose()
    }

    /// Appends events to the session record, which is created if needed. `decide` receives the current record and may
    /// be called again after a concurrent write; no events write nothing.
    pub(crate) async fn update_session(
        &self,
        owner: &Arc<Principal>,
        agent: &AgentName,
        context: &ContextId,
        decide: impl Fn(Option<&SessionRecord>) -> Vec<SessionEvent> + Send,
    ) -> Result<Option<SessionRecord>, EngineError> {
        for _ in 0..MAX_WRITE_ATTEMPTS {
            let before = self.session_record(owner, agent, context).await?;
            let events = decide(before.as_ref());
            if events.is_empty() {
                return Ok(before);
            }
            let (write, after) = self.session_write(owner, agent, context, before, events)?;
            match self.journal().append(Commit::from_writes(vec![write])).await {
                Ok(_) => return Ok(Some(after)),
                Err(JournalError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(EngineError::Journal(JournalError::Busy))
    }

    /// The write for these events, and the record after it.
    pub(super) fn session_write(
        &self,
        owner: &Arc<Principal>,
        agent: &AgentName,
        context: &ContextId,
        before: Option<SessionRecord>,
        mut events: Vec<SessionEvent>,
    ) -> Result<(Write, SessionRecord), EngineError> {
        let at = self.ports.clock.now();
        let expected_version = before.as_ref().map_or(0, |record| record.version);
        if before.is_none() && !matches!(events.first(), Some(SessionEvent::Opened { .. })) {
            let (agent, context) = (agent.clone(), context.clone());
            events.insert(0, SessionEvent::Opened { agent, context, origin: None, history: Vec::new() });
        }
        let impossible = |_| internal("a session event does not match its record");
        let after = match before {
            None => SessionRecord::fold(events.iter().map(|event| (at, event))).map_err(impossible)?,
            Some(mut record) => {
                for event in &events {
                    record.apply(at, event).map_err(impossible)?;
                }
                record
            }
        };
        let is_due = after.version / SNAPSHOT_INTERVAL > expected_version / SNAPSHOT_INTERVAL;
        let write = Write {
            stream: StreamId::Session(SessionId::derive(owner, agent, context)),
            expected_version,
            epoch: EPOCH,
            principal: Arc::clone(owner),
            run: None,
            trace: None,
            at,
            facts: events.into_iter().map(JournalEvent::Session).collect(),
            head: head_of(agent, context, at),
            snapshot: if is_due { Json::from_serializable(&after).ok() } else { None },
        };
        Ok((write, after))
    }
}

/// A session has no end. It is marked terminal so that retention can remove it after its last task.
fn head_of(agent: &AgentName, context: &ContextId, at: Timestamp) -> StreamHeadUpdate {
    StreamHeadUpdate {
        agent: agent.clone(),
        context: context.clone(),
        state: "open",
        status_at: at,
        active: false,
        terminal: true,
    }
}

fn fold_session(loaded: &LoadedStream) -> Result<SessionRecord, EngineError> {
    let corrupt = |problem: &str| {
        let stream = loaded.head.stream.clone();
        EngineError::Journal(JournalError::Damaged { stream, number: None, reason: problem.to_owned() })
    };
    let mut events = Vec::with_capacity(loaded.events.len());
    for event in &loaded.events {
        let JournalEvent::Session(fact) = &event.fact else {
            return Err(corrupt("it contains events of another type"));
        };
        events.push((event.at, fact));
    }
    let illegal = |_| corrupt("an event does not follow the one before");
    match &loaded.snapshot {
        None => SessionRecord::fold(events).map_err(illegal),
        Some(snapshot) => {
            let mut record: SessionRecord = snapshot.state.read().map_err(|error| corrupt(&error.to_string()))?;
            for (at, event) in events {
                record.apply(at, event).map_err(illegal)?;
            }
            Ok(record)
        }
    }
}

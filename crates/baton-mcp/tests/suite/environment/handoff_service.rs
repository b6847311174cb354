//! A handoff service that keeps records in memory, applies the real rules and plays the target agents.

use super::world::Source;
use baton_ports::{
    AgentInvokeError, AgentReply, AgentSource as _, BoxFuture, HandoffOutcome, HandoffRequest, HandoffService,
    HandoffTicket,
};
use baton_rules::{admit_handoff, resolve_handoff_target};
use baton_types::{ChannelReason, Clock, ErrorCode, HandoffChannel, HandoffId, Principal, TaskState, Timestamp};
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::Notify;

/// Start of the test clock.
const NOW: Timestamp = Timestamp::from_millis(1_000_000);

pub(crate) struct ScriptedHandoffService {
    source: Arc<Source>,
    records: Mutex<Vec<Record>>,
    pub(crate) timeout: Mutex<Duration>,
    /// Time passed since the start.
    pub(crate) elapsed: Mutex<Duration>,
    /// Notified when work that never ends begins.
    pub(crate) begun: Notify,
    /// Notified if work is dropped before it ends.
    pub(crate) dropped: Arc<Notify>,
    /// Notified when a record ends.
    pub(crate) ended: Notify,
}

struct Record {
    owner: Principal,
    ask: HandoffRequest,
    channel: HandoffChannel,
    end: Option<HandoffOutcome>,
    /// The model whose answer caused the reclaim.
    model: Option<String>,
}

impl ScriptedHandoffService {
    pub(crate) fn new(source: &Arc<Source>) -> Self {
        Self {
            source: Arc::clone(source),
            records: Mutex::default(),
            timeout: Mutex::new(Duration::from_secs(300)),
            elapsed: Mutex::default(),
            begun: Notify::new(),
            dropped: Arc::default(),
            ended: Notify::new(),
        }
    }

    /// All records as JSON.
    pub(crate) fn shown(&self) -> Vec<Value> {
        let records = self.records.lock().unwrap();
        records
            .iter()
            .map(|record| {
                let Record { owner, ask, channel, end, model } = record;
                let end = match end {
                    None => json!("in progress"),
                    Some(HandoffOutcome::Completed { response, task, context }) => json!([response, task, context]),
                    Some(HandoffOutcome::Failed(reason)) => json!({"failed": reason}),
                    Some(HandoffOutcome::Cancelled(reason)) => json!({"cancelled": reason}),
                };
                let work = format!("{} to {}: {}", ask.from, ask.agent_uri, ask.message);
                let mut shown = json!({"owner": &*owner.subject, "work": work, "channel": channel, "end": end});
                shown["why"] = json!(ask.reason);
                if let Some(model) = model {
                    shown["model"] = model.as_str().into();
                }
                shown
            })
            .collect()
    }

    fn admit(&self, ask: &HandoffRequest) -> Result<(), AgentInvokeError> {
        let refused = |detail: String| AgentInvokeError { code: ErrorCode::HANDOFF_REFUSED, detail };
        let (agents, from) = (self.source.listings(), self.source.agent(&ask.from).unwrap());
        let to = resolve_handoff_target(&from, agents.iter().map(AsRef::as_ref), &ask.agent_uri);
        admit_handoff(&from, None, None, ask.depth, &to, 5).map_err(|error| refused(error.to_string()))?;
        match self.source.agent(&to) {
            Some(_) => Ok(()),
            None => Err(refused(format!("agent '{to}' is not known here"))),
        }
    }

    fn record(&self, principal: &Principal, ask: HandoffRequest, channel: HandoffChannel) -> HandoffId {
        let mut records = self.records.lock().unwrap();
        records.push(Record { owner: principal.clone(), ask, channel, end: None, model: None });
        HandoffId::from(format!("handoff-{}", records.len()))
    }
}

impl Clock for ScriptedHandoffService {
    fn now(&self) -> Timestamp {
        NOW.after(*self.elapsed.lock().unwrap())
    }
}

struct DropNotifier(Arc<Notify>);

impl Drop for DropNotifier {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl HandoffService for ScriptedHandoffService {
    fn begin<'a>(
        &'a self,
        principal: &'a Principal,
        ask: HandoffRequest,
        channel: HandoffChannel,
    ) -> BoxFuture<'a, Result<HandoffTicket, AgentInvokeError>> {
        Box::pin(async move {
            self.admit(&ask)?;
            let (agent_uri, depth) = (ask.agent_uri.clone(), ask.depth + 1);
            let id = self.record(principal, ask, channel);
            Ok(HandoffTicket { id, agent_uri, depth, deadline: NOW.after(*self.timeout.lock().unwrap()) })
        })
    }

    fn end<'a>(
        &'a self,
        principal: &'a Principal,
        id: &'a HandoffId,
        end: HandoffOutcome,
    ) -> BoxFuture<'a, Result<bool, AgentInvokeError>> {
        Box::pin(async move {
            let number: usize = id.as_str().strip_prefix("handoff-").unwrap().parse().unwrap();
            let mut records = self.records.lock().unwrap();
            let record = &mut records[number - 1];
            assert_eq!(record.owner, *principal);
            if record.end.is_some() {
                return Ok(false);
            }
            let late = self.now() > NOW.after(*self.timeout.lock().unwrap());
            record.end = Some(if late { HandoffOutcome::Failed("timeout".to_owned()) } else { end });
            self.ended.notify_one();
            Ok(!late)
        })
    }

    fn reclaim<'a>(
        &'a self,
        principal: &'a Principal,
        id: &'a HandoffId,
        ask: HandoffRequest,
        model: &'a str,
    ) -> BoxFuture<'a, Result<Option<AgentReply>, AgentInvokeError>> {
        Box::pin(async move {
            self.admit(&ask)?;
            let number: usize = id.as_str().strip_prefix("handoff-").unwrap().parse().unwrap();
            {
                let mut records = self.records.lock().unwrap();
                let record = &mut records[number - 1];
                assert_eq!(record.owner, *principal);
                if record.end.is_some() || record.channel == HandoffChannel::Direct {
                    return Ok(None);
                }
                record.channel = HandoffChannel::Direct;
                record.ask.reason = Some(ChannelReason::OtherModel);
                record.model = Some(model.to_owned());
            }
            self.work(principal, &ask, id).await.map(Some)
        })
    }

    /// The last word of the message selects the outcome.
    fn hand_over<'a>(
        &'a self,
        principal: &'a Principal,
        ask: HandoffRequest,
    ) -> BoxFuture<'a, Result<AgentReply, AgentInvokeError>> {
        Box::pin(async move {
            self.admit(&ask)?;
            let id = self.record(principal, ask.clone(), HandoffChannel::Direct);
            self.work(principal, &ask, &id).await
        })
    }
}

impl ScriptedHandoffService {
    async fn work(
        &self,
        principal: &Principal,
        ask: &HandoffRequest,
        id: &HandoffId,
    ) -> Result<AgentReply, AgentInvokeError> {
        let context = ask.context.clone();
        let reply = |state, text: &str| AgentReply {
            task: "task-1".into(),
            context: context.clone().unwrap_or_else(|| "context-1".into()),
            state,
            text: text.to_owned(),
        };
        let last = ask.message.split_whitespace().last().unwrap_or_default().to_owned();
        let reply = match last.as_str() {
            "unreachable" => Err(AgentInvokeError {
                code: ErrorCode::PEER_UNREACHABLE,
                detail: "nobody answers at http://127.0.0.1:9".to_owned(),
            }),
            "ask" => Ok(reply(TaskState::InputRequired, "Where?")),
            "fail" => Ok(reply(TaskState::Failed, "the model is away")),
            "silent" => Ok(reply(TaskState::Completed, " ")),
            "hang" => {
                let _notifier = DropNotifier(Arc::clone(&self.dropped));
                self.begun.notify_one();
                std::future::pending().await
            }
            "slow" => {
                tokio::time::sleep(Duration::from_secs(50)).await;
                Ok(reply(TaskState::Completed, "at last"))
            }
            _ => Ok(reply(TaskState::Completed, "72°F in Oakland")),
        };
        let end = match &reply {
            Ok(AgentReply { state: TaskState::Completed, text, task, context }) => HandoffOutcome::Completed {
                response: text.clone(),
                task: Some(task.to_string()),
                context: Some(context.to_string()),
            },
            Ok(reply) => HandoffOutcome::Failed(reply.text.clone()),
            Err(error) => HandoffOutcome::Failed(error.detail.clone()),
        };
        self.end(principal, id, end).await?;
        reply
    }
}

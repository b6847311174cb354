//! A peer that serves a script, with configurable faults.

use super::{Script, chunk};
use baton_peers::{Binding, BindingEvent, BindingEventStream, CallError, RequestMetadata};
use baton_ports::BoxFuture;
use baton_wire::a2a::v1::{
    AgentCard, CancelTaskRequest, ErrorKind, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest,
    ListTasksResponse, Message, SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig,
};
use parking_lot::Mutex;
use std::{
    collections::{HashMap, VecDeque},
    future::ready,
    sync::Arc,
    time::Duration,
};

/// How a server resumes streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Events are numbered per task, and a stream resumes after a number; live text is neither numbered nor stored.
    Numbered,
    /// 1.0 as specified: a stream begins with the task snapshot.
    Snapshot,
    /// 1.0, with ids that restart in each response.
    PerResponse,
    /// 0.3: a stream resumes with the next event.
    Old,
    /// 0.3, with timestamps as event ids.
    Clock,
    /// 1.0, but two events between the snapshot and the stream are lost.
    Hasty,
    /// 1.0, but the stream repeats two events that the snapshot contains.
    Slow,
    /// No streaming.
    Silent,
}

impl Kind {
    pub(crate) const ALL: [Self; 8] = [
        Self::Numbered,
        Self::Snapshot,
        Self::PerResponse,
        Self::Old,
        Self::Clock,
        Self::Hasty,
        Self::Slow,
        Self::Silent,
    ];
}

/// A connection fault.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// Number of items before the connection breaks.
    pub(crate) after: usize,
    /// Number of events that happen before the client reconnects.
    pub(crate) meanwhile: usize,
    /// Whether the break looks like a regular end.
    pub(crate) clean: bool,
}

/// Fault of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SendFault {
    NotSent,
    Busy,
    Unavailable,
    /// The request never arrived, which the client does not know.
    RequestLost,
    /// The request arrived, but its response was lost.
    ResponseLost,
    /// A gateway answers instead of the peer; the request arrived.
    Gateway,
    Refused,
}

/// Point at which a subscription to an ended task is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusalTiming {
    /// As the response to the request.
    Immediate,
    /// As an event of the stream.
    InStream,
}

pub(crate) struct Server {
    pub(crate) kind: Kind,
    pub(crate) script: Script,
    /// Whether every event is sent twice, and old ones again after a resume.
    pub(crate) repeats: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    tasks: Vec<LiveTask>,
    keys: HashMap<String, usize>,
    sends: VecDeque<SendFault>,
    cuts: VecDeque<Cut>,
    gaps: VecDeque<CallError>,
    ended: Option<(CallError, RefusalTiming)>,
    calls: Vec<String>,
}

struct LiveTask {
    id: String,
    context: String,
    said: Vec<Message<'static>>,
    position: usize,
}

impl Server {
    pub(crate) fn new(kind: Kind, script: Script) -> Arc<Self> {
        Self::with(kind, script, false)
    }

    pub(crate) fn with(kind: Kind, script: Script, repeats: bool) -> Arc<Self> {
        Arc::new(Self { kind, script, repeats, state: Mutex::default() })
    }

    /// Cuts the next connections, one fault each.
    pub(crate) fn cut(&self, cuts: impl IntoIterator<Item = Cut>) {
        self.state.lock().cuts.extend(cuts);
    }

    /// Makes the next sends fail.
    pub(crate) fn fail_sends(&self, faults: impl IntoIterator<Item = SendFault>) {
        self.state.lock().sends.extend(faults);
    }

    /// Makes the next requests about tasks fail.
    pub(crate) fn fail_requests(&self, errors: impl IntoIterator<Item = CallError>) {
        self.state.lock().gaps.extend(errors);
    }

    /// Rejects subscriptions to ended tasks.
    pub(crate) fn refuse_ended(&self, error: CallError, refusing: RefusalTiming) {
        self.state.lock().ended = Some((error, refusing));
    }

    pub(crate) fn calls(&self, name: &str) -> usize {
        self.state.lock().calls.iter().filter(|call| call.starts_with(name)).count()
    }

    pub(crate) fn tasks(&self) -> usize {
        self.state.lock().tasks.len()
    }

    /// Adds a task at this event, as if another client had created it.
    pub(crate) fn place(&self, id: &str, context: &str, message: &str, position: usize) {
        let said = Message { message_id: message.to_owned().into(), ..Message::default() };
        let live = LiveTask { id: id.to_owned(), context: context.to_owned(), said: vec![said], position };
        self.state.lock().tasks.push(live);
    }

    fn note(&self, call: String) -> Result<(), CallError> {
        let mut state = self.state.lock();
        state.calls.push(call);
        state.gaps.pop_front().map_or(Ok(()), Err)
    }

    /// Accepts the message, unless one with the same key exists.
    fn accept(&self, request: &SendMessageRequest<'static>, with: &RequestMetadata) -> usize {
        let mut state = self.state.lock();
        let message = request.message.clone().expect("a message");
        if let Some(index) = with.idempotency_key.as_ref().and_then(|key| state.keys.get(key)) {
            return *index;
        }
        let known = message.task_id.as_ref().and_then(|id| state.tasks.iter().position(|live| live.id == *id));
        let index = known.unwrap_or_else(|| {
            let id = format!("task-{}", state.tasks.len() + 1);
            let context = message.context_id.as_deref().unwrap_or("made-up").to_owned();
            state.tasks.push(LiveTask { id, context, said: Vec::new(), position: 0 });
            state.tasks.len() - 1
        });
        state.tasks[index].said.push(message);
        if let Some(key) = &with.idempotency_key {
            state.keys.insert(key.clone(), index);
        }
        index
    }

    fn send_fault(&self, request: &SendMessageRequest<'static>, with: &RequestMetadata) -> Result<usize, CallError> {
        let fault = {
            let mut state = self.state.lock();
            state.calls.push(format!("send {:?}", with.idempotency_key));
            state.sends.pop_front()
        };
        let broken = || Err(CallError::ConnectionLost("the connection broke".to_owned()));
        match fault {
            None => Ok(self.accept(request, with)),
            Some(SendFault::NotSent) => Err(CallError::NotSent("connection refused".to_owned())),
            Some(SendFault::Busy) => Err(refusal(-32600, 429, Some(Duration::from_secs(1)))),
            Some(SendFault::Unavailable) => Err(refusal(-32603, 503, Some(Duration::from_secs(2)))),
            Some(SendFault::RequestLost) => broken(),
            Some(SendFault::ResponseLost) => {
                self.accept(request, with);
                broken()
            }
            Some(SendFault::Gateway) => {
                self.accept(request, with);
                Err(refusal(-32603, 504, None))
            }
            Some(SendFault::Refused) => Err(refusal(ErrorKind::InvalidParams.rpc_code(), 400, None)),
        }
    }

    fn find(&self, id: &str) -> Result<usize, CallError> {
        let place = self.state.lock().tasks.iter().position(|live| live.id == id);
        place.ok_or_else(|| refusal(ErrorKind::TaskNotFound.rpc_code(), 404, None))
    }

    fn task(&self, index: usize, count: usize) -> Task<'static> {
        let state = self.state.lock();
        let live = &state.tasks[index];
        let mut task = self.script.snapshot(count, self.kind == Kind::Numbered);
        task.id = live.id.clone().into();
        task.context_id = live.context.clone().into();
        task.history = Some(live.said.clone());
        task
    }

    fn named(&self, index: usize, mut item: StreamResponse<'static>) -> StreamResponse<'static> {
        let state = self.state.lock();
        let live = &state.tasks[index];
        if let Some(update) = &mut item.status_update {
            (update.task_id, update.context_id) = (live.id.clone().into(), live.context.clone().into());
        }
        if let Some(update) = &mut item.artifact_update {
            (update.task_id, update.context_id) = (live.id.clone().into(), live.context.clone().into());
        }
        item
    }

    fn position(&self, index: usize) -> usize {
        self.state.lock().tasks[index].position
    }

    fn advance(&self, index: usize, to: usize) {
        let mut state = self.state.lock();
        let live = &mut state.tasks[index];
        live.position = live.position.max(to.min(self.script.events.len()));
    }

    /// The events of a connection that starts at `from`, up to its cut.
    fn connection(self: Arc<Self>, index: usize, from: usize, first: Option<usize>) -> BindingEventStream {
        let cut = self.state.lock().cuts.pop_front();
        Box::pin(async_stream::stream! {
            let mut sent = 0;
            let mut next = from;
            let mut first = first;
            // A resumed connection receives the text that is open now.
            let mut catching_up = (self.kind == Kind::Numbered && from > 0).then(|| self.position(index));
            loop {
                if let Some(cut) = cut.filter(|cut| cut.after == sent) {
                    self.advance(index, self.position(index) + cut.meanwhile);
                    if !cut.clean {
                        yield Err(CallError::ConnectionLost("cut".to_owned()));
                    }
                    return;
                }
                sent += 1;
                if let Some(count) = first.take() {
                    yield Ok(BindingEvent { cursor: self.cursor(count, sent), item: self.task(index, count).into() });
                    continue;
                }
                if catching_up == Some(next) {
                    catching_up = None;
                    if let Some((id, text)) = self.script.open_text(next) {
                        yield Ok(BindingEvent { cursor: None, item: self.named(index, chunk(&id, &text, false)) });
                        continue;
                    }
                }
                let Some(event) = self.script.events.get(next) else { return };
                next += 1;
                let replayed = catching_up.is_some();
                self.advance(index, next);
                if event.live && replayed {
                    sent -= 1;
                    continue;
                }
                let cursor = self.cursor(next, sent).filter(|_| !(event.live && self.kind == Kind::Numbered));
                let heard = BindingEvent { cursor, item: self.named(index, event.item.clone()) };
                if self.repeats && heard.cursor.is_some() {
                    yield Ok(heard.clone());
                }
                yield Ok(heard);
            }
        })
    }

    fn cursor(&self, number: usize, sent: usize) -> Option<String> {
        match self.kind {
            Kind::Numbered => Some((number + 1).to_string()),
            Kind::PerResponse => Some(sent.to_string()),
            // Several events share a millisecond.
            Kind::Clock => Some((1_763_250_000_000_u64 + number as u64 / 3).to_string()),
            Kind::Snapshot | Kind::Old | Kind::Hasty | Kind::Slow | Kind::Silent => None,
        }
    }
}

pub(crate) fn refusal(code: i32, status: u16, retry_after: Option<Duration>) -> CallError {
    CallError::Refused { code, status, message: format!("refused with {code}"), retry_after }
}

/// `Binding` needs a shared pointer that outlives its streams.
pub(crate) struct SharedServer(pub(crate) Arc<Server>);

impl Binding for SharedServer {
    fn send<'a>(
        &'a self,
        request: SendMessageRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<SendMessageResponse<'static>, CallError>> {
        let sent = self.0.send_fault(&request, with).map(|index| {
            let task = Some(self.0.task(index, self.0.position(index)));
            SendMessageResponse { task, message: None }
        });
        Box::pin(ready(sent))
    }

    fn stream<'a>(
        &'a self,
        request: SendMessageRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<BindingEventStream, CallError>> {
        let sent = self.0.send_fault(&request, with).map(|index| {
            let from = self.0.position(index);
            Arc::clone(&self.0).connection(index, from, Some(from))
        });
        Box::pin(ready(sent))
    }

    fn subscribe<'a>(
        &'a self,
        request: SubscribeToTaskRequest<'static>,
        with: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<BindingEventStream, CallError>> {
        let server = &self.0;
        let noted = server.note(format!("subscribe {:?}", with.last_event));
        let begun = noted.and_then(|()| server.find(&request.id)).and_then(|index| {
            let now = server.position(index);
            let after = with.last_event.as_ref().and_then(|last| last.parse::<usize>().ok());
            match (server.kind, after) {
                (Kind::Numbered, Some(number)) => {
                    let count = number - 1;
                    let from = if server.repeats { count.saturating_sub(3) } else { count };
                    Ok(Arc::clone(server).connection(index, from, Some(count)))
                }
                _ if now == server.script.events.len() => match server.state.lock().ended.clone() {
                    Some((error, RefusalTiming::InStream)) => {
                        Ok(Box::pin(futures_util::stream::iter([Err(error)])) as BindingEventStream)
                    }
                    Some((error, RefusalTiming::Immediate)) => Err(error),
                    None => Err(refusal(ErrorKind::UnsupportedOperation.rpc_code(), 400, None)),
                },
                (Kind::Hasty, _) => {
                    server.advance(index, now + 2);
                    Ok(Arc::clone(server).connection(index, now + 2, Some(now)))
                }
                (Kind::Slow, _) => Ok(Arc::clone(server).connection(index, now.saturating_sub(2), Some(now))),
                (Kind::Old | Kind::Clock, _) => Ok(Arc::clone(server).connection(index, now, None)),
                _ => Ok(Arc::clone(server).connection(index, now, Some(now))),
            }
        });
        Box::pin(ready(begun))
    }

    fn get<'a>(
        &'a self,
        request: GetTaskRequest<'static>,
        _: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<Task<'static>, CallError>> {
        let server = &self.0;
        let got = server.note("get".to_owned()).and_then(|()| server.find(&request.id)).map(|index| {
            // The task continues whether or not a client is connected.
            let stride = if server.kind == Kind::Silent { 7 } else { 1 };
            server.advance(index, server.position(index) + stride);
            server.task(index, server.position(index))
        });
        Box::pin(ready(got))
    }

    fn list<'a>(
        &'a self,
        request: ListTasksRequest<'static>,
        _: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<ListTasksResponse<'static>, CallError>> {
        let server = &self.0;
        let listed = server.note("list".to_owned()).map(|()| {
            let tasks = (0..server.tasks()).rev().map(|index| {
                let mut task = server.task(index, server.position(index));
                task.history = None;
                task
            });
            let tasks = tasks.filter(|task| request.context_id.as_ref().is_none_or(|id| *id == task.context_id));
            ListTasksResponse { tasks: tasks.collect(), ..ListTasksResponse::default() }
        });
        Box::pin(ready(listed))
    }

    fn cancel<'a>(
        &'a self,
        request: CancelTaskRequest<'static>,
        _: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<Task<'static>, CallError>> {
        let server = &self.0;
        let canceled = server.note("cancel".to_owned()).and_then(|()| server.find(&request.id));
        let canceled = canceled.and_then(|index| match server.position(index) == server.script.events.len() {
            true => Err(refusal(ErrorKind::TaskNotCancelable.rpc_code(), 400, None)),
            false => Ok(server.task(index, server.position(index))),
        });
        Box::pin(ready(canceled))
    }

    fn create_push<'a>(
        &'a self,
        request: TaskPushNotificationConfig<'static>,
        _: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<TaskPushNotificationConfig<'static>, CallError>> {
        let token = request.token.as_deref().unwrap_or_default();
        self.0.state.lock().calls.push(format!("push {} {token}", request.url));
        Box::pin(ready(Ok(request)))
    }

    fn extended_card<'a>(
        &'a self,
        _: GetExtendedAgentCardRequest<'static>,
        _: &'a RequestMetadata,
    ) -> BoxFuture<'a, Result<AgentCard, CallError>> {
        Box::pin(ready(Err(refusal(ErrorKind::UnsupportedOperation.rpc_code(), 400, None))))
    }
}

impl Server {
    pub(crate) fn last_call(&self, name: &str) -> Option<String> {
        self.state.lock().calls.iter().rev().find(|call| call.starts_with(name)).cloned()
    }
}

//! Transition of a call from a direct reply to a stream of its session.
//!
//! Most calls are answered immediately. A call that takes long or must ask its client continues under the transport:
//! there the client receives heartbeats, can be asked, and can reconnect for the answer.

use http::request::Parts;
use parking_lot::Mutex;
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolResponse, ServerResult},
    service::RequestContext,
};
use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub(super) type CallAnswer = Result<ServerResult, ErrorData>;

/// Waits until the call of this request can send requests to its client; returns immediately if it already can.
pub(crate) async fn ensure_stream(context: &RequestContext<RoleServer>) {
    if let Some(switch) = context.extensions.get::<StreamSwitch>() {
        switch.switch_to_stream().await;
    }
}

/// Signal between the work of a call and its waiter for the switch to a stream.
#[derive(Clone, Default)]
pub(super) struct StreamSwitch(Arc<StreamSwitchState>);

#[derive(Default)]
struct StreamSwitchState {
    requested: Notify,
    started: Notify,
    on_stream: AtomicBool,
}

impl StreamSwitch {
    async fn switch_to_stream(&self) {
        // Registered before the check, so that a start in between is not missed; there may be several waiters.
        let started = self.0.started.notified();
        if !self.0.on_stream.load(Ordering::Acquire) {
            self.0.requested.notify_one();
            started.await;
        }
    }

    /// Waits until the work needs a stream.
    pub(super) async fn stream_wanted(&self) {
        self.0.requested.notified().await;
    }

    fn begin(&self) {
        self.0.on_stream.store(true, Ordering::Release);
        self.0.started.notify_waiters();
    }
}

/// The work of a call; it runs to its end even if its waiter is dropped.
pub(super) struct CallWork {
    work: Option<Pin<Box<dyn Future<Output = CallAnswer> + Send>>>,
    ct: CancellationToken,
    on_abandon: AbandonPolicy,
}

/// Effect on the work if its waiter is dropped.
pub(super) enum AbandonPolicy {
    /// The work is cancelled.
    Cancel,
    /// The work continues and no longer waits for a stream.
    Continue(StreamSwitch),
}

impl CallWork {
    /// Work that its token cancels.
    pub(super) fn new(
        work: impl Future<Output = CallAnswer> + Send + 'static,
        ct: CancellationToken,
        on_abandon: AbandonPolicy,
    ) -> Self {
        Self { work: Some(Box::pin(work)), ct, on_abandon }
    }
}

impl Future for CallWork {
    type Output = CallAnswer;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<CallAnswer> {
        let Some(work) = &mut self.work else { return Poll::Pending };
        let answered = work.as_mut().poll(context);
        if answered.is_ready() {
            self.work = None;
        }
        answered
    }
}

impl Drop for CallWork {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        if let (Some(work), Ok(runtime)) = (self.work.take(), tokio::runtime::Handle::try_current()) {
            match &self.on_abandon {
                AbandonPolicy::Cancel => self.ct.cancel(),
                AbandonPolicy::Continue(switch) => switch.begin(),
            }
            runtime.spawn(work);
        }
    }
}

/// A started call, passed to the transport in the extensions of its request.
#[derive(Clone)]
pub(super) struct StartedCall {
    work: Arc<Mutex<Option<CallWork>>>,
    switch: StreamSwitch,
}

impl StartedCall {
    pub(super) fn new(work: CallWork, switch: StreamSwitch) -> Self {
        Self { work: Arc::new(Mutex::new(Some(work))), switch }
    }

    /// The started call that a request of the transport continues.
    pub(super) fn from_context(context: &RequestContext<RoleServer>) -> Option<Self> {
        context.extensions.get::<Parts>()?.extensions.get().cloned()
    }

    /// Continues the call; the transport identifies it by the current task.
    pub(super) async fn resume(self, cancelled: &CancellationToken) -> Result<CallToolResponse, ErrorData> {
        let work = self.work.lock().take();
        let mut work = work.ok_or_else(|| ErrorData::internal_error("the call is already being answered", None))?;
        self.switch.begin();
        let answered = tokio::select! {
            answered = &mut work => answered,
            () = cancelled.cancelled() => {
                work.ct.cancel();
                work.await
            }
        };
        match answered? {
            ServerResult::CallToolResult(result) => Ok(result.into()),
            ServerResult::InputRequiredResult(result) => Ok(result.into()),
            ServerResult::CreateTaskResult(result) => Ok(CallToolResponse::Task(result)),
            _ => Err(ErrorData::internal_error("a tool call returned an unexpected result type", None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn stream_start_wakes_all_waiters() {
        let turn = StreamSwitch::default();
        let mut waiting = [(); 2].map(|()| Box::pin(turn.switch_to_stream()));
        for waiting in &mut waiting {
            assert!(futures_util::poll!(waiting).is_pending());
        }
        turn.stream_wanted().await;
        turn.begin();
        // The first future may never be polled again.
        let [_first, second] = waiting;
        second.await;
        turn.switch_to_stream().await;
    }
}

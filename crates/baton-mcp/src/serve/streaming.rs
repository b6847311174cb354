//! From an answer that is awaited where its call arrived to one on a stream of the call's session.
//!
//! Most calls are answered at once. One that takes long, or has to ask its client something first, goes on as it is, but
//! the transport waits for it from then on: there its client hears signs of life, can be asked, and can come back for the
//! answer when the connection breaks.

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

pub(super) type Answered = Result<ServerResult, ErrorData>;

/// Returns when the call of this request can ask its client something; at once where it always could.
pub(crate) async fn on_stream(context: &RequestContext<RoleServer>) {
    if let Some(turn) = context.extensions.get::<Turn>() {
        turn.to_stream().await;
    }
}

/// By this the work of a call and whoever awaits it agree that it goes on, on a stream.
#[derive(Clone, Default)]
pub(super) struct Turn(Arc<TurnState>);

#[derive(Default)]
struct TurnState {
    wanted: Notify,
    begun: Notify,
    on_stream: AtomicBool,
}

impl Turn {
    async fn to_stream(&self) {
        // Whoever is here before the look hears of the beginning after it, and several may be.
        let begun = self.0.begun.notified();
        if !self.0.on_stream.load(Ordering::Acquire) {
            self.0.wanted.notify_one();
            begun.await;
        }
    }

    /// Returns when the work cannot go on without a stream.
    pub(super) async fn wanted(&self) {
        self.0.wanted.notified().await;
    }

    fn begin(&self) {
        self.0.on_stream.store(true, Ordering::Release);
        self.0.begun.notify_waiters();
    }
}

/// The work of a call, which ends by itself when nobody waits for it any more.
pub(super) struct Working {
    work: Option<Pin<Box<dyn Future<Output = Answered> + Send>>>,
    ct: CancellationToken,
    left: Left,
}

/// What it means for work that nobody waits for it any more.
pub(super) enum Left {
    /// It is cancelled.
    Cancelled,
    /// Nothing, but that it need not wait for a stream.
    Alone(Turn),
}

impl Working {
    /// Work that is cancelled by its token.
    pub(super) fn new(
        work: impl Future<Output = Answered> + Send + 'static,
        ct: CancellationToken,
        left: Left,
    ) -> Self {
        Self { work: Some(Box::pin(work)), ct, left }
    }
}

impl Future for Working {
    type Output = Answered;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answered> {
        let Some(work) = &mut self.work else { return Poll::Pending };
        let answered = work.as_mut().poll(context);
        if answered.is_ready() {
            self.work = None;
        }
        answered
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        if let (Some(work), Ok(runtime)) = (self.work.take(), tokio::runtime::Handle::try_current()) {
            match &self.left {
                Left::Cancelled => self.ct.cancel(),
                Left::Alone(turn) => turn.begin(),
            }
            runtime.spawn(work);
        }
    }
}

/// A call that was begun, on its way to the transport in the extensions of its request.
#[derive(Clone)]
pub(super) struct Begun {
    work: Arc<Mutex<Option<Working>>>,
    turn: Turn,
}

impl Begun {
    pub(super) fn new(work: Working, turn: Turn) -> Self {
        Self { work: Arc::new(Mutex::new(Some(work))), turn }
    }

    /// The call that a request of the transport goes on with.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        context.extensions.get::<Parts>()?.extensions.get().cloned()
    }

    /// Goes on with it; the transport knows the call by the task that this runs in.
    pub(super) async fn go_on(self, cancelled: &CancellationToken) -> Result<CallToolResponse, ErrorData> {
        let work = self.work.lock().take();
        let mut work = work.ok_or_else(|| ErrorData::internal_error("the call is answered elsewhere", None))?;
        self.turn.begin();
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
            _ => Err(ErrorData::internal_error("a call was answered with something else", None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn everybody_who_waits_for_a_stream_hears_that_it_begins() {
        let turn = Turn::default();
        let mut waiting = [(); 2].map(|()| Box::pin(turn.to_stream()));
        for waiting in &mut waiting {
            assert!(futures_util::poll!(waiting).is_pending());
        }
        turn.wanted().await;
        turn.begin();
        // The first of them may never be polled again.
        let [_first, second] = waiting;
        second.await;
        turn.to_stream().await;
    }
}

//! Queries about spans: how many there are at once and for whom, and where their answers are written.
//!
//! A query is admitted or refused at once, then waits for a turn. Answers are written on a thread that serves no requests,
//! and whatever of them clients have not read yet counts against a bound in bytes.

use crate::{
    auth::{Caller, LimitKey},
    shares::{SharePermit, Shares},
};
use axum::{
    body::{Body, Bytes},
    response::Response,
};
use baton_ports::SpanStoreError;
use baton_wire::a2a::v1::Error;
use hyper::body::{Body as _, Frame, SizeHint};
use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError, Weak},
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// Queries that wait, run, or whose answers are being read.
const MAX_ADMITTED: usize = 128;
/// Of them, those of one principal: a dashboard asks for all its panels at once.
const MAX_ADMITTED_PER_PRINCIPAL: usize = 32;
/// Queries that run at the same time.
const MAX_RUNNING: usize = 4;
/// Of them, those of one principal: there is always a turn for somebody else.
const MAX_RUNNING_PER_PRINCIPAL: usize = 3;
/// A query that waits longer for its turn is refused.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(30);
/// Kilobytes of answers that clients have not read yet.
const MAX_UNREAD_KB: usize = 256 * 1024;
/// Of them, those of one principal.
const MAX_UNREAD_KB_PER_PRINCIPAL: usize = 96 * 1024;
/// Readings of all spans at the same time.
const MAX_EXPORTS: usize = 4;
/// Of them, those of one principal.
const MAX_EXPORTS_PER_PRINCIPAL: usize = 2;

/// Admits queries and gives them turns.
pub(crate) struct Queries {
    admitted: Shares,
    unread: Shares,
    exports: Shares,
    running: Arc<Semaphore>,
    /// Turns of each principal that has a query; there are never more than queries.
    turns: Mutex<HashMap<LimitKey, Weak<Semaphore>>>,
}

/// A turn of running a query.
struct QueryTurn {
    _own: OwnedSemaphorePermit,
    _running: OwnedSemaphorePermit,
}

impl Queries {
    pub(crate) fn new() -> Self {
        Self {
            admitted: Shares::new(MAX_ADMITTED, MAX_ADMITTED_PER_PRINCIPAL),
            unread: Shares::new(MAX_UNREAD_KB, MAX_UNREAD_KB_PER_PRINCIPAL),
            exports: Shares::new(MAX_EXPORTS, MAX_EXPORTS_PER_PRINCIPAL),
            running: Arc::new(Semaphore::new(MAX_RUNNING)),
            turns: Mutex::default(),
        }
    }

    /// Asks a store and writes what it answers, both in one turn. Dropping the future ends the work.
    pub(crate) async fn run<T: Send + 'static, E: From<Error> + From<SpanStoreError>>(
        &self,
        caller: &Caller,
        ask: impl Future<Output = Result<T, SpanStoreError>>,
        write: impl FnOnce(T) -> Response + Send + 'static,
    ) -> Result<Response, E> {
        let admitted = self.admitted.take(caller).map_err(|refusal| refusal.error("queries"))?;
        let turn = self.turn(caller).await?;
        let answer = ask.await?;
        let written = tokio::task::spawn_blocking(move || {
            let response = write(answer);
            drop(turn);
            response
        });
        let response = written
            .await
            .map_err(|error| SpanStoreError::Unavailable(format!("an answer could not be written: {error}")))?;
        Ok(self.count_unread(caller, response, admitted)?)
    }

    /// A place among those who read all spans through.
    pub(crate) fn export(&self, caller: &Caller) -> Result<SharePermit, Error> {
        self.exports.take(caller).map_err(|refusal| refusal.error("exports of spans"))
    }

    async fn turn(&self, caller: &Caller) -> Result<QueryTurn, SpanStoreError> {
        let own = self.own_turns(caller);
        let turn = timeout(QUEUE_TIMEOUT, async {
            let own = own.acquire_owned().await.ok()?;
            let running = Arc::clone(&self.running).acquire_owned().await.ok()?;
            Some(QueryTurn { _own: own, _running: running })
        });
        turn.await.ok().flatten().ok_or(SpanStoreError::Busy)
    }

    fn own_turns(&self, caller: &Caller) -> Arc<Semaphore> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turns| turns.strong_count() > 0);
        let known = turns.entry(caller.limit_key()).or_default();
        known.upgrade().unwrap_or_else(|| {
            let own = Arc::new(Semaphore::new(MAX_RUNNING_PER_PRINCIPAL));
            *known = Arc::downgrade(&own);
            own
        })
    }

    /// The response, whose bytes count until they are read. One that is larger than a share takes all of it.
    fn count_unread(&self, caller: &Caller, response: Response, admitted: SharePermit) -> Result<Response, Error> {
        let bytes = response.body().size_hint().lower();
        let kilobytes = usize::try_from(bytes.div_ceil(1024)).unwrap_or(usize::MAX).min(MAX_UNREAD_KB_PER_PRINCIPAL);
        let mut unread = self.unread.take_none(caller);
        unread.grow_to(kilobytes).map_err(|refusal| refusal.error("kilobytes of answers that nobody has read yet"))?;
        Ok(response.map(|body| Body::new(CountedBody { body, _permits: (admitted, unread) })))
    }
}

/// A body that counts against bounds until it was read or given up.
struct CountedBody {
    body: Body,
    _permits: (SharePermit, SharePermit),
}

impl hyper::body::Body for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(task)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

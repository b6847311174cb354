//! Span queries: concurrency limits per principal and in total, and encoding of the results.
//!
//! A query is admitted or rejected immediately, then waits for a permit. Results are encoded off the request threads,
//! and result bytes that the client has not read yet count against a limit.

use crate::{
    auth::{Caller, LimitKey},
    share_pool::{SharePermit, Shares},
};
use axum::{
    body::{Body, Bytes},
    response::Response,
};
use baton_span_ports::SpanStoreError;
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

/// Maximum queries that wait, run, or have an unread result.
const MAX_ADMITTED: usize = 128;
/// Maximum per principal: a dashboard sends the queries of all its panels at once.
const MAX_ADMITTED_PER_PRINCIPAL: usize = 32;
/// Maximum running queries.
const MAX_RUNNING: usize = 4;
/// Maximum per principal, so that one permit is always left for others.
const MAX_RUNNING_PER_PRINCIPAL: usize = 3;
/// Maximum wait for a permit.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum kilobytes of unread results.
const MAX_UNREAD_KB: usize = 256 * 1024;
/// Maximum per principal.
const MAX_UNREAD_KB_PER_PRINCIPAL: usize = 96 * 1024;
/// Maximum concurrent exports of all spans.
const MAX_EXPORTS: usize = 4;
/// Maximum per principal.
const MAX_EXPORTS_PER_PRINCIPAL: usize = 2;

/// Admission control and scheduling of queries.
pub(crate) struct QueryScheduler {
    admitted: Shares,
    unread: Shares,
    exports: Shares,
    running: Arc<Semaphore>,
    /// Permits per principal with an active query; never more entries than queries.
    principal_semaphores: Mutex<HashMap<LimitKey, Weak<Semaphore>>>,
}

/// Permit to run a query.
struct QueryPermit {
    _own: OwnedSemaphorePermit,
    _running: OwnedSemaphorePermit,
}

impl QueryScheduler {
    pub(crate) fn new() -> Self {
        Self {
            admitted: Shares::new(MAX_ADMITTED, MAX_ADMITTED_PER_PRINCIPAL),
            unread: Shares::new(MAX_UNREAD_KB, MAX_UNREAD_KB_PER_PRINCIPAL),
            exports: Shares::new(MAX_EXPORTS, MAX_EXPORTS_PER_PRINCIPAL),
            running: Arc::new(Semaphore::new(MAX_RUNNING)),
            principal_semaphores: Mutex::default(),
        }
    }

    /// Queries a store and encodes the result under one permit. Dropping the future cancels the work.
    pub(crate) async fn run<T: Send + 'static, E: From<Error> + From<SpanStoreError>>(
        &self,
        caller: &Caller,
        query: impl Future<Output = Result<T, SpanStoreError>>,
        write: impl FnOnce(T) -> Response + Send + 'static,
    ) -> Result<Response, E> {
        let admitted = self.admitted.acquire(caller).map_err(|refusal| refusal.error("queries"))?;
        let turn = self.acquire_permit(caller).await?;
        let answer = query.await?;
        let written = tokio::task::spawn_blocking(move || {
            let response = write(answer);
            drop(turn);
            response
        });
        let response = written
            .await
            .map_err(|error| SpanStoreError::Unavailable(format!("the response could not be encoded: {error}")))?;
        Ok(self.count_unread(caller, response, admitted)?)
    }

    /// Permit for an export of all spans.
    pub(crate) fn export(&self, caller: &Caller) -> Result<SharePermit, Error> {
        self.exports.acquire(caller).map_err(|refusal| refusal.error("exports of spans"))
    }

    async fn acquire_permit(&self, caller: &Caller) -> Result<QueryPermit, SpanStoreError> {
        let own = self.principal_semaphore(caller);
        let turn = timeout(QUEUE_TIMEOUT, async {
            let own = own.acquire_owned().await.ok()?;
            let running = Arc::clone(&self.running).acquire_owned().await.ok()?;
            Some(QueryPermit { _own: own, _running: running })
        });
        turn.await.ok().flatten().ok_or(SpanStoreError::Busy)
    }

    fn principal_semaphore(&self, caller: &Caller) -> Arc<Semaphore> {
        let mut turns = self.principal_semaphores.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turns| turns.strong_count() > 0);
        let known = turns.entry(caller.limit_key()).or_default();
        known.upgrade().unwrap_or_else(|| {
            let own = Arc::new(Semaphore::new(MAX_RUNNING_PER_PRINCIPAL));
            *known = Arc::downgrade(&own);
            own
        })
    }

    /// Response whose bytes count until they are read. A response larger than a share takes the whole share.
    fn count_unread(&self, caller: &Caller, response: Response, admitted: SharePermit) -> Result<Response, Error> {
        let bytes = response.body().size_hint().lower();
        let kilobytes = usize::try_from(bytes.div_ceil(1024)).unwrap_or(usize::MAX).min(MAX_UNREAD_KB_PER_PRINCIPAL);
        let mut unread = self.unread.empty_permit(caller);
        unread.grow_to(kilobytes).map_err(|refusal| refusal.error("kilobytes of unread responses"))?;
        Ok(response.map(|body| Body::new(CountedBody { body, _permits: (admitted, unread) })))
    }
}

/// Body that holds its permits until it is read or dropped.
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

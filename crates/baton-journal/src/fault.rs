//! A journal wrapper that injects faults according to a plan.

use baton_ports::{
    Blob, BoxFuture, Claim, Commit, CommitObserver, ConversationPage, ConversationQuery, DeleteOutcome, Journal,
    JournalError, Lease, LoadedStream, OutboxEntry, OutboxProgress, Receipt, RetentionPolicy, StoredEvent, StreamHead,
    StreamPage, StreamQuery, TokenRecord, TokenStore,
};
use baton_types::{AgentName, BudgetUsage, ContextId, Digest, Principal, StreamId, Timestamp};
use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::sync::watch;

/// Fault for one append.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// No fault.
    #[default]
    Pass,
    /// Nothing is written, and the receipt fails with `Unavailable`.
    Fail,
    /// The commit is written and observed, but the receipt fails with `Unavailable`.
    WriteThenFail,
    /// The process dies before the commit: nothing is written, now or by any later call.
    CrashBefore,
    /// The process dies after the commit: it is written but not observed, and later calls have no effect.
    CrashAfter,
}

/// Returns the fault for the append with this index, counted from 0.
pub type FaultPlan = Box<dyn Fn(u64) -> Fault + Send + Sync>;

/// A journal with injected faults; after a crash every call fails with `Unavailable`.
pub struct FaultyJournal<J: Journal + ?Sized> {
    inner: Arc<J>,
    plan: FaultPlan,
    appends: AtomicU64,
    crashed: watch::Sender<bool>,
}

impl<J: Journal + ?Sized> FaultyJournal<J> {
    /// Wraps `inner`.
    pub fn new(inner: Arc<J>, plan: impl Fn(u64) -> Fault + Send + Sync + 'static) -> Self {
        Self { inner, plan: Box::new(plan), appends: AtomicU64::new(0), crashed: watch::Sender::new(false) }
    }

    /// Number of attempted appends.
    pub fn appends(&self) -> u64 {
        self.appends.load(Ordering::Acquire)
    }

    /// Whether the simulated process has died.
    pub fn crashed(&self) -> bool {
        *self.crashed.borrow()
    }

    /// Kills the simulated process now.
    pub fn crash(&self) {
        self.crashed.send_replace(true);
    }

    /// Resolves when the simulated process dies.
    pub fn until_crashed(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut crashed = self.crashed.subscribe();
        async move {
            // A dropped journal can no longer crash; this must not be reported as a crash.
            if crashed.wait_for(|crashed| *crashed).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    fn check_alive(&self) -> Result<(), JournalError> {
        if self.crashed() { Err(injected("the process has crashed")) } else { Ok(()) }
    }

    async fn while_alive<T>(&self, call: BoxFuture<'_, Result<T, JournalError>>) -> Result<T, JournalError> {
        let value = call.await;
        self.check_alive()?;
        value
    }
}

fn injected(problem: &str) -> JournalError {
    JournalError::Unavailable(format!("injected fault: {problem}"))
}

fn refuse(problem: &'static str) -> Receipt {
    Box::pin(ready(Err(injected(problem))))
}

/// Forwards commits until the process is dead.
struct CrashGate {
    crashed: watch::Receiver<bool>,
    observer: Arc<dyn CommitObserver>,
}

impl CommitObserver for CrashGate {
    fn on_commit(&self, events: &[Arc<StoredEvent>]) {
        if !*self.crashed.borrow() {
            self.observer.on_commit(events);
        }
    }
}

macro_rules! guarded {
    ($self:ident, $call:expr) => {
        Box::pin(async move {
            $self.check_alive()?;
            $self.while_alive($call).await
        })
    };
}

impl<J: Journal + ?Sized> Journal for FaultyJournal<J> {
    fn observe(&self, observer: Arc<dyn CommitObserver>) {
        self.inner.observe(Arc::new(CrashGate { crashed: self.crashed.subscribe(), observer }));
    }

    fn append(&self, commit: Commit) -> Receipt {
        let index = self.appends.fetch_add(1, Ordering::AcqRel);
        if self.crashed() {
            return refuse("the process has crashed");
        }
        match (self.plan)(index) {
            Fault::Pass => {
                let receipt = self.inner.append(commit);
                let crashed = self.crashed.subscribe();
                Box::pin(async move {
                    let result = receipt.await;
                    if *crashed.borrow() { Err(injected("the process has crashed")) } else { result }
                })
            }
            Fault::Fail => refuse("the commit failed"),
            Fault::WriteThenFail => {
                let receipt = self.inner.append(commit);
                Box::pin(async move { receipt.await.and(Err(injected("the commit succeeded and reports failure"))) })
            }
            Fault::CrashBefore => {
                self.crash();
                refuse("the process crashed before the commit")
            }
            Fault::CrashAfter => {
                // Set before the append, so that `CrashGate` suppresses the observation of the commit.
                self.crash();
                let receipt = self.inner.append(commit);
                Box::pin(async move { receipt.await.and(Err(injected("the process crashed after the commit"))) })
            }
        }
    }

    fn load<'a>(
        &'a self,
        principal: Option<&'a Principal>,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Option<LoadedStream>, JournalError>> {
        guarded!(self, self.inner.load(principal, stream))
    }

    fn events<'a>(
        &'a self,
        stream: &'a StreamId,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<StoredEvent>>, JournalError>> {
        guarded!(self, self.inner.events(stream, after, limit))
    }

    fn tail(&self, after: u64, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<StoredEvent>>, JournalError>> {
        guarded!(self, self.inner.tail(after, limit))
    }

    fn list<'a>(
        &'a self,
        principal: &'a Principal,
        query: &'a StreamQuery,
    ) -> BoxFuture<'a, Result<StreamPage, JournalError>> {
        guarded!(self, self.inner.list(principal, query))
    }

    fn active_streams(
        &self,
        after: Option<StreamId>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<StreamHead>, JournalError>> {
        guarded!(self, self.inner.active_streams(after, limit))
    }

    fn acquire<'a>(
        &'a self,
        stream: &'a StreamId,
        holder: &'a str,
        now: Timestamp,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Lease, JournalError>> {
        guarded!(self, self.inner.acquire(stream, holder, now, ttl))
    }

    fn put_blob(&self, bytes: Blob) -> BoxFuture<'_, Result<Digest, JournalError>> {
        guarded!(self, self.inner.put_blob(bytes))
    }

    fn blob<'a>(&'a self, digest: &'a Digest) -> BoxFuture<'a, Result<Option<Blob>, JournalError>> {
        guarded!(self, self.inner.blob(digest))
    }

    fn outbox<'a>(
        &'a self,
        channel: &'a str,
        stream: &'a StreamId,
    ) -> BoxFuture<'a, Result<Vec<OutboxEntry>, JournalError>> {
        guarded!(self, self.inner.outbox(channel, stream))
    }

    fn outbox_open<'a>(
        &'a self,
        channel: &'a str,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<OutboxEntry>, JournalError>> {
        guarded!(self, self.inner.outbox_open(channel, after, limit))
    }

    fn outbox_advance<'a>(
        &'a self,
        id: &'a str,
        progress: OutboxProgress,
    ) -> BoxFuture<'a, Result<bool, JournalError>> {
        guarded!(self, self.inner.outbox_advance(id, progress))
    }

    fn outbox_remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, JournalError>> {
        guarded!(self, self.inner.outbox_remove(id))
    }

    fn claim<'a>(
        &'a self,
        principal: &'a Principal,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Claim>, JournalError>> {
        guarded!(self, self.inner.claim(principal, key))
    }

    fn tally<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<BudgetUsage, JournalError>> {
        guarded!(self, self.inner.tally(key))
    }

    fn conversations<'a>(
        &'a self,
        principal: &'a Principal,
        query: &'a ConversationQuery,
    ) -> BoxFuture<'a, Result<ConversationPage, JournalError>> {
        guarded!(self, self.inner.conversations(principal, query))
    }

    fn delete_conversation<'a>(
        &'a self,
        principal: &'a Principal,
        agent: &'a AgentName,
        context: &'a ContextId,
    ) -> BoxFuture<'a, Result<DeleteOutcome, JournalError>> {
        guarded!(self, self.inner.delete_conversation(principal, agent, context))
    }

    fn apply_retention(&self, policy: RetentionPolicy) -> BoxFuture<'_, Result<u64, JournalError>> {
        guarded!(self, self.inner.apply_retention(policy))
    }

    fn healthy(&self) -> bool {
        !self.crashed() && self.inner.healthy()
    }
}

impl<J: Journal + TokenStore + ?Sized> TokenStore for FaultyJournal<J> {
    fn tokens(&self) -> BoxFuture<'_, Result<Vec<TokenRecord>, JournalError>> {
        guarded!(self, self.inner.tokens())
    }

    fn put_token(&self, token: TokenRecord) -> BoxFuture<'_, Result<(), JournalError>> {
        guarded!(self, self.inner.put_token(token))
    }
}

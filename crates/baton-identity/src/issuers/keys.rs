//! Key cache of one issuer. Concurrent callers share one fetch.

use super::{Documents, IssuerConfig, discover};
use crate::jwt::{Compact, KeySet};
use baton_ports::{Clock, Unidentified};
use baton_types::Timestamp;
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// Keys up to this age are used without a refresh.
const FRESH: Duration = Duration::from_secs(10 * 60);
/// Keys beyond this age are never used, even if the issuer is unreachable.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);
/// Interval between two fetches for an unknown key, and after a failure while keys are cached.
const PAUSE: Duration = Duration::from_secs(30);
/// Interval after a failure without cached keys; shorter, because no token can be verified.
const SHORT_PAUSE: Duration = Duration::from_secs(5);

/// Key cache of one issuer. Clones share the cache.
#[derive(Clone)]
pub(super) struct Keys {
    inner: Arc<Inner>,
}

struct Inner {
    config: Arc<IssuerConfig>,
    documents: Arc<dyn Documents>,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    known: Option<Known>,
    failure: Option<Failure>,
    /// Time of the last fetch for an unknown key.
    missed_at: Option<Timestamp>,
    /// Closes when the current fetch ends.
    fetching: Option<watch::Receiver<()>>,
}

#[derive(Clone)]
struct Known {
    keys: Arc<KeySet>,
    at: Timestamp,
}

struct Failure {
    at: Timestamp,
    reason: String,
}

/// Decision of a key lookup.
enum Plan {
    Take(Arc<KeySet>),
    GiveUp(String),
    Wait(watch::Receiver<()>),
}

impl Keys {
    pub(super) fn new(config: Arc<IssuerConfig>, documents: Arc<dyn Documents>, clock: Arc<dyn Clock>) -> Self {
        Self { inner: Arc::new(Inner { config, documents, clock, state: Mutex::default() }) }
    }

    /// Keys to verify this token with; fetches them if necessary.
    pub(super) async fn for_token(&self, token: &Compact<'_>) -> Result<Arc<KeySet>, Unidentified> {
        let judged = self.inner.state.lock().known.as_ref().map(|known| known.keys.clone());
        let suits = judged.as_ref().is_some_and(|keys| keys.suits(token));
        let plan = self.plan(judged.as_ref(), suits);
        match plan {
            Plan::Take(keys) => return Ok(keys),
            Plan::GiveUp(reason) => return Err(Unidentified::KeysUnavailable(reason)),
            // The channel carries no values; it closes when the fetch ends.
            Plan::Wait(mut ended) => while ended.changed().await.is_ok() {},
        }
        let state = self.inner.state.lock();
        match state.usable(self.inner.clock.now()) {
            Some(known) => Ok(known.keys.clone()),
            None => Err(Unidentified::KeysUnavailable(state.reason())),
        }
    }

    fn plan(&self, judged: Option<&Arc<KeySet>>, suits: bool) -> Plan {
        let now = self.inner.clock.now();
        let mut state = self.inner.state.lock();
        let failed_within =
            |state: &State, pause| state.failure.as_ref().is_some_and(|failure| failure.at.until(now) < pause);
        let Some(known) = state.usable(now).cloned() else {
            return match &state.fetching {
                Some(ended) => Plan::Wait(ended.clone()),
                None if failed_within(&state, SHORT_PAUSE) => Plan::GiveUp(state.reason()),
                None => self.fetch(&mut state),
            };
        };
        // The keys were refreshed after the token was checked, so another fetch is useless.
        if !judged.is_some_and(|judged| Arc::ptr_eq(judged, &known.keys)) {
            return Plan::Take(known.keys);
        }
        let fresh = known.at.until(now) < FRESH;
        if suits {
            let leave = fresh || state.fetching.is_some() || failed_within(&state, PAUSE);
            return if leave { Plan::Take(known.keys) } else { self.fetch(&mut state) };
        }
        if let Some(ended) = &state.fetching {
            return Plan::Wait(ended.clone());
        }
        if state.missed_at.is_some_and(|at| at.until(now) < PAUSE) {
            return Plan::Take(known.keys);
        }
        state.missed_at = Some(now);
        self.fetch(&mut state)
    }

    /// Fetches in a separate task, so that a cancelled caller does not abort the fetch for others.
    fn fetch(&self, state: &mut State) -> Plan {
        let (under_way, ended) = watch::channel(());
        state.fetching = Some(ended.clone());
        let inner = self.inner.clone();
        tokio::spawn(async move {
            let fetch = Fetch { inner: &inner, under_way: Some(under_way) };
            let found = discover::keys(&inner.config, &*inner.documents).await;
            fetch.end(found);
        });
        Plan::Wait(ended)
    }
}

/// Guard of a running fetch, which also ends it after a panic.
struct Fetch<'a> {
    inner: &'a Inner,
    under_way: Option<watch::Sender<()>>,
}

impl Fetch<'_> {
    fn end(self, found: Result<KeySet, String>) {
        let at = self.inner.clock.now();
        let mut state = self.inner.state.lock();
        match found {
            Ok(keys) => {
                state.known = Some(Known { keys: Arc::new(keys), at });
                state.failure = None;
            }
            Err(reason) => {
                tracing::warn!(issuer = self.inner.config.issuer, reason, "an issuer's keys cannot be fetched");
                state.failure = Some(Failure { at, reason });
            }
        }
    }
}

impl Drop for Fetch<'_> {
    fn drop(&mut self) {
        self.inner.state.lock().fetching = None;
        drop(self.under_way.take());
    }
}

impl State {
    fn usable(&self, now: Timestamp) -> Option<&Known> {
        self.known.as_ref().filter(|known| known.at.until(now) < STALE)
    }

    fn reason(&self) -> String {
        self.failure.as_ref().map_or_else(|| "the fetch ended early".to_owned(), |failure| failure.reason.clone())
    }
}

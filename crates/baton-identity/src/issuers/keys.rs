//! Key cache of one issuer. Concurrent callers share one fetch.

use super::{IssuerConfig, IssuerDocuments, discover};
use crate::jwt::{CompactJwt, KeySet};
use baton_ports::TokenRejection;
use baton_types::{Clock, Timestamp};
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// Keys up to this age are used without a refresh.
const KEYS_TTL: Duration = Duration::from_secs(10 * 60);
/// Keys beyond this age are never used, even if the issuer is unreachable.
const MAX_KEYS_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// Interval between two fetches for an unknown key, and after a failure while keys are cached.
const REFETCH_INTERVAL: Duration = Duration::from_secs(30);
/// Interval after a failure without cached keys; shorter, because no token can be verified.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Key cache of one issuer. Clones share the cache.
#[derive(Clone)]
pub(super) struct IssuerKeyCache {
    inner: Arc<IssuerKeyCacheInner>,
}

struct IssuerKeyCacheInner {
    config: Arc<IssuerConfig>,
    documents: Arc<dyn IssuerDocuments>,
    clock: Arc<dyn Clock>,
    state: Mutex<IssuerKeyState>,
}

#[derive(Default)]
struct IssuerKeyState {
    cached: Option<CachedKeySet>,
    failure: Option<KeyFetchFailure>,
    /// Time of the last fetch for an unknown key.
    missed_at: Option<Timestamp>,
    /// Closes when the current fetch ends.
    fetching: Option<watch::Receiver<()>>,
}

#[derive(Clone)]
struct CachedKeySet {
    keys: Arc<KeySet>,
    at: Timestamp,
}

struct KeyFetchFailure {
    at: Timestamp,
    reason: String,
}

/// Decision of a key lookup.
enum KeyLookupPlan {
    Use(Arc<KeySet>),
    Fail(String),
    Wait(watch::Receiver<()>),
}

impl IssuerKeyCache {
    pub(super) fn new(config: Arc<IssuerConfig>, documents: Arc<dyn IssuerDocuments>, clock: Arc<dyn Clock>) -> Self {
        Self { inner: Arc::new(IssuerKeyCacheInner { config, documents, clock, state: Mutex::default() }) }
    }

    /// Keys to verify this token with; fetches them if necessary.
    pub(super) async fn for_token(&self, token: &CompactJwt<'_>) -> Result<Arc<KeySet>, TokenRejection> {
        let judged = self.inner.state.lock().cached.as_ref().map(|known| known.keys.clone());
        let suits = judged.as_ref().is_some_and(|keys| keys.has_key_for(token));
        let plan = self.plan(judged.as_ref(), suits);
        match plan {
            KeyLookupPlan::Use(keys) => return Ok(keys),
            KeyLookupPlan::Fail(reason) => return Err(TokenRejection::KeysUnavailable(reason)),
            // The channel carries no values; it closes when the fetch ends.
            KeyLookupPlan::Wait(mut ended) => while ended.changed().await.is_ok() {},
        }
        let state = self.inner.state.lock();
        match state.usable(self.inner.clock.now()) {
            Some(known) => Ok(known.keys.clone()),
            None => Err(TokenRejection::KeysUnavailable(state.reason())),
        }
    }

    fn plan(&self, judged: Option<&Arc<KeySet>>, suits: bool) -> KeyLookupPlan {
        let now = self.inner.clock.now();
        let mut state = self.inner.state.lock();
        let failed_within =
            |state: &IssuerKeyState, pause| state.failure.as_ref().is_some_and(|failure| failure.at.until(now) < pause);
        let Some(known) = state.usable(now).cloned() else {
            return match &state.fetching {
                Some(ended) => KeyLookupPlan::Wait(ended.clone()),
                None if failed_within(&state, RETRY_INTERVAL) => KeyLookupPlan::Fail(state.reason()),
                None => self.fetch(&mut state),
            };
        };
        // The keys were refreshed after the token was checked, so another fetch is useless.
        if !judged.is_some_and(|judged| Arc::ptr_eq(judged, &known.keys)) {
            return KeyLookupPlan::Use(known.keys);
        }
        let fresh = known.at.until(now) < KEYS_TTL;
        if suits {
            let leave = fresh || state.fetching.is_some() || failed_within(&state, REFETCH_INTERVAL);
            return if leave { KeyLookupPlan::Use(known.keys) } else { self.fetch(&mut state) };
        }
        if let Some(ended) = &state.fetching {
            return KeyLookupPlan::Wait(ended.clone());
        }
        if state.missed_at.is_some_and(|at| at.until(now) < REFETCH_INTERVAL) {
            return KeyLookupPlan::Use(known.keys);
        }
        state.missed_at = Some(now);
        self.fetch(&mut state)
    }

    /// Fetches in a separate task, so that a cancelled caller does not abort the fetch for others.
    fn fetch(&self, state: &mut IssuerKeyState) -> KeyLookupPlan {
        let (under_way, ended) = watch::channel(());
        state.fetching = Some(ended.clone());
        let inner = self.inner.clone();
        tokio::spawn(async move {
            let fetch = KeyFetchGuard { inner: &inner, under_way: Some(under_way) };
            let found = discover::fetch_keys(&inner.config, &*inner.documents).await;
            fetch.end(found);
        });
        KeyLookupPlan::Wait(ended)
    }
}

/// Guard of a running fetch, which also ends it after a panic.
struct KeyFetchGuard<'a> {
    inner: &'a IssuerKeyCacheInner,
    under_way: Option<watch::Sender<()>>,
}

impl KeyFetchGuard<'_> {
    fn end(self, found: Result<KeySet, String>) {
        let at = self.inner.clock.now();
        let mut state = self.inner.state.lock();
        match found {
            Ok(keys) => {
                state.cached = Some(CachedKeySet { keys: Arc::new(keys), at });
                state.failure = None;
            }
            Err(reason) => {
                tracing::warn!(issuer = self.inner.config.issuer, reason, "an issuer's keys cannot be fetched");
                state.failure = Some(KeyFetchFailure { at, reason });
            }
        }
    }
}

impl Drop for KeyFetchGuard<'_> {
    fn drop(&mut self) {
        self.inner.state.lock().fetching = None;
        drop(self.under_way.take());
    }
}

impl IssuerKeyState {
    fn usable(&self, now: Timestamp) -> Option<&CachedKeySet> {
        self.cached.as_ref().filter(|known| known.at.until(now) < MAX_KEYS_AGE)
    }

    fn reason(&self) -> String {
        self.failure.as_ref().map_or_else(|| "the fetch ended early".to_owned(), |failure| failure.reason.clone())
    }
}

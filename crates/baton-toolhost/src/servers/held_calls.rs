//! Held calls: calls of the older protocol that wait for answers.
//!
//! A server of the older protocol keeps its request open while it asks, so the call stays in flight. The table is
//! bounded, an entry is bound to its caller and call, and each entry expires: earlier when its server handles one call
//! at a time and another call is queued.

use super::{ServerError, in_flight_call::InFlightCall};
use parking_lot::Mutex;
use rmcp::model::{ErrorData, InputRequest, InputRequests};
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

/// A question of the server, with the channel for its answer.
pub(super) struct ServerQuestion {
    pub(super) key: String,
    pub(super) request: InputRequest,
    pub(super) reply: oneshot::Sender<Result<Value, ErrorData>>,
}

impl ServerQuestion {
    pub(super) fn requests(&self) -> InputRequests {
        InputRequests::from([(self.key.clone(), self.request.clone())])
    }
}

/// A call that waits for an answer.
pub(super) struct HeldCall {
    pub(super) running: InFlightCall,
    pub(super) question: ServerQuestion,
    /// Digest of caller, server, name and arguments; must match to continue the call.
    pub(super) binding: String,
    /// Account that the call counts against.
    pub(super) account: String,
}

struct HeldCallEntry {
    held: HeldCall,
    _timer: AbortOnDropHandle<()>,
}

/// Minimum hold time, even when other calls are queued.
const MIN_HOLD_DURATION: Duration = Duration::from_secs(30);

/// One account may hold at most 1/`ACCOUNT_SHARE_DIVISOR` of all held calls.
const ACCOUNT_SHARE_DIVISOR: usize = 4;

/// The held calls by state.
#[derive(Default)]
pub(super) struct HeldCalls {
    by_state: Mutex<HashMap<String, HeldCallEntry>>,
}

impl HeldCalls {
    /// Holds a call for a limited time and returns its state; rejected when too many are held.
    pub(super) fn hold(self: &Arc<Self>, held: HeldCall, limit: usize, hold: Duration) -> Result<String, ServerError> {
        let state = random_state()?;
        let mut table = self.by_state.lock();
        if table.len() >= limit {
            return Err(ServerError::Invalid {
                reason: format!("{limit} calls already wait for answers; answer or cancel some, then try again"),
            });
        }
        let own = table.values().filter(|other| other.held.account == held.account).count();
        if own >= limit.div_ceil(ACCOUNT_SHARE_DIVISOR) {
            return Err(ServerError::Invalid {
                reason: format!("{own} of your calls already wait for answers; answer or cancel some, then try again"),
            });
        }
        let (waiting, expiring) = (Arc::downgrade(self), state.clone());
        let connection = Arc::downgrade(held.running.connection());
        let timer = AbortOnDropHandle::new(tokio::spawn(async move {
            let min_hold = hold.min(MIN_HOLD_DURATION);
            tokio::time::sleep(min_hold).await;
            let queued_call = async {
                match connection.upgrade() {
                    Some(connection) => connection.wait_for_queued_call().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = tokio::time::sleep(hold - min_hold) => {}
                () = queued_call => {}
            }
            expire(&waiting, &expiring);
        }));
        table.insert(state.clone(), HeldCallEntry { held, _timer: timer });
        Ok(state)
    }

    /// Takes a call out, if the binding matches.
    pub(super) fn take(&self, state: &str, binding: &str) -> Result<HeldCall, ServerError> {
        let mut table = self.by_state.lock();
        match table.get(state) {
            Some(waiting) if waiting.held.binding == binding => {
                table.remove(state).map(|waiting| waiting.held).ok_or(ServerError::Expired)
            }
            _ => Err(ServerError::Expired),
        }
    }

    /// Number of held calls.
    pub(super) fn len(&self) -> usize {
        self.by_state.lock().len()
    }

    /// Drops all held calls.
    pub(super) fn clear(&self) {
        let dropped = std::mem::take(&mut *self.by_state.lock());
        drop(dropped);
    }
}

fn expire(table: &Weak<HeldCalls>, state: &str) {
    let dropped = table.upgrade().and_then(|table| table.by_state.lock().remove(state));
    drop(dropped);
}

fn random_state() -> Result<String, ServerError> {
    use std::fmt::Write as _;
    let mut bytes = [0; 18];
    getrandom::fill(&mut bytes)
        .map_err(|_| ServerError::Invalid { reason: "the operating system provides no random bytes".to_owned() })?;
    let mut state = String::with_capacity(36);
    for byte in bytes {
        let _ = write!(state, "{byte:02x}");
    }
    Ok(state)
}

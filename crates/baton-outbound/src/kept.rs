//! To which hosts connections are kept open: the pool itself bounds the connections of a host, not the hosts.

use crate::Origin;
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// Hosts that were called lately, and until when a connection to them may be idle.
pub(crate) struct KeptHosts {
    until: Mutex<HashMap<Origin, Instant>>,
    most: usize,
    /// The longest request, and the idle time after it.
    time: Duration,
}

impl KeptHosts {
    pub(crate) fn new(most: usize, time: Duration) -> Self {
        Self { until: Mutex::default(), most, time }
    }

    /// Whether the connection of a request to this host may be kept after it.
    pub(crate) fn keeps(&self, host: Origin) -> bool {
        let now = Instant::now();
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        if !until.contains_key(&host) && until.len() >= self.most {
            until.retain(|_, until| *until > now);
            if until.len() >= self.most {
                return false;
            }
        }
        until.insert(host, now + self.time);
        true
    }
}

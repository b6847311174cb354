//! Bound on the number of hosts with idle connections: the pool only bounds the connections per host.

use crate::UrlOrigin;
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// Recently called hosts, with the time until which a connection to them may be idle.
pub(crate) struct KeepAliveHosts {
    until: Mutex<HashMap<UrlOrigin, Instant>>,
    max_hosts: usize,
    /// Request timeout plus idle timeout.
    time: Duration,
}

impl KeepAliveHosts {
    pub(crate) fn new(max_hosts: usize, time: Duration) -> Self {
        Self { until: Mutex::default(), max_hosts, time }
    }

    /// Whether the connection of a request to this host may be kept alive.
    pub(crate) fn may_keep_alive(&self, host: UrlOrigin) -> bool {
        let now = Instant::now();
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        if !until.contains_key(&host) && until.len() >= self.max_hosts {
            until.retain(|_, until| *until > now);
            if until.len() >= self.max_hosts {
                return false;
            }
        }
        until.insert(host, now + self.time);
        true
    }
}

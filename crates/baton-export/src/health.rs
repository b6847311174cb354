//! Health of a target. Only changes are logged.

use crate::{ExportTarget, ExportTiming, Route, counts::TargetCounters};
use baton_outbound::Target;
use baton_ports::ExportState;
use baton_types::{Backoff, BackoffPolicy, Jitter};
use std::{sync::Arc, time::Duration};

/// Upper bound of a delay requested by a target.
const MAX_RETRY_AFTER_DELAY: Duration = Duration::from_secs(10 * 60);

/// Health of a target, with backoff.
pub(crate) struct TargetHealth {
    target: String,
    endpoint: String,
    /// Display name of the exported items.
    items: &'static str,
    is_default: bool,
    state: HealthState,
    /// Whether skipped items were already logged.
    skip_logged: bool,
    /// Backoff for temporary failures.
    retry_backoff: Backoff,
    /// First delay of that backoff.
    min_retry_delay: Duration,
    /// Backoff for failures that need a configuration change.
    blocked_backoff: Backoff,
    count: Arc<TargetCounters>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HealthState {
    Healthy,
    Unreachable,
    Blocked,
}

impl TargetHealth {
    pub(crate) fn new(
        target: &ExportTarget,
        route: &Route,
        items: &'static str,
        pace: &ExportTiming,
        count: Arc<TargetCounters>,
    ) -> Self {
        let max_delay = if target.is_default { pace.max_default_retry_delay } else { pace.max_retry_delay };
        let endpoint = url_origin(&route.url);
        count.set_endpoint(&endpoint, target.is_default);
        Self {
            target: target.name.clone(),
            endpoint,
            items,
            is_default: target.is_default,
            state: HealthState::Healthy,
            skip_logged: false,
            retry_backoff: backoff(pace.retry_delay, max_delay),
            min_retry_delay: pace.retry_delay,
            blocked_backoff: backoff(pace.max_retry_delay, pace.max_default_retry_delay.max(pace.max_retry_delay)),
            count,
        }
    }

    /// Records a temporary failure; returns the retry delay, which respects the delay requested by the target.
    pub(crate) fn mark_unreachable(&mut self, reason: &str, retry_after: Option<Duration>) -> Duration {
        self.count.set_state(ExportState::Unreachable { why: reason.to_owned() });
        if std::mem::replace(&mut self.state, HealthState::Unreachable) != HealthState::Unreachable {
            let Self { target, endpoint, items, .. } = &*self;
            if self.is_default {
                tracing::debug!(
                    target,
                    place = endpoint,
                    why = reason,
                    "{items} are not accepted there; retrying occasionally"
                );
            } else {
                tracing::warn!(target, place = endpoint, why = reason, "{items} cannot be sent; retrying");
            }
        }
        self.blocked_backoff.reset();
        let delay = self.retry_backoff.next_jittered(draw_jitter());
        match retry_after {
            Some(requested) => requested.min(MAX_RETRY_AFTER_DELAY).max(delay.min(self.min_retry_delay)),
            None => delay,
        }
    }

    /// Records a failure that needs a configuration change; returns a long retry delay.
    pub(crate) fn mark_blocked(&mut self, reason: &str) -> Duration {
        self.count.set_state(ExportState::Blocked { why: reason.to_owned() });
        if std::mem::replace(&mut self.state, HealthState::Blocked) != HealthState::Blocked {
            let Self { target, endpoint, items, .. } = &*self;
            if self.is_default {
                tracing::debug!(
                    target,
                    place = endpoint,
                    why = reason,
                    "{items} are rejected there; retrying occasionally"
                );
            } else {
                tracing::warn!(
                    target,
                    place = endpoint,
                    why = reason,
                    "{items} are rejected until you change a setting here or at the target; retrying"
                );
            }
        }
        self.retry_backoff.reset();
        self.blocked_backoff.next_jittered(draw_jitter())
    }

    /// Records that the target accepted or rejected a request.
    pub(crate) fn mark_healthy(&mut self) {
        self.retry_backoff.reset();
        self.blocked_backoff.reset();
        self.count.set_state(ExportState::Healthy);
        if std::mem::replace(&mut self.state, HealthState::Healthy) != HealthState::Healthy {
            tracing::info!(target = self.target, place = self.endpoint, "{} are sent again", self.items);
        }
    }

    /// Records accepted items.
    pub(crate) fn mark_accepted(&mut self) {
        self.skip_logged = false;
    }

    /// Logs skipped items as a warning once until items are accepted.
    pub(crate) fn log_skipped(&mut self, items: usize, reason: &str) {
        let (target, endpoint) = (&self.target, &self.endpoint);
        if std::mem::replace(&mut self.skip_logged, true) {
            tracing::debug!(
                target,
                place = endpoint,
                items,
                why = reason,
                "{} were rejected and are skipped",
                self.items
            );
        } else {
            tracing::warn!(
                target,
                place = endpoint,
                items,
                why = reason,
                "{} were rejected and are skipped; further ones are logged at debug level until some are accepted",
                self.items
            );
        }
    }
}

/// Delays with jitter, so that clients do not retry at the same time.
fn backoff(first: Duration, max: Duration) -> Backoff {
    Backoff::new(BackoffPolicy::new(first, max).with_jitter(75, 125))
}

fn draw_jitter() -> Jitter {
    Jitter::from_bits(rand::random())
}

/// Scheme, host and port of a URL; the rest may be secret.
pub(crate) fn url_origin(url: &str) -> String {
    Target::parse(url).map_or_else(|_| "an invalid address".to_owned(), |target| target.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExportCounts, OtlpProtocol, Signal};
    use baton_ports::ExportMonitor as _;

    fn health(assumed: bool) -> (TargetHealth, ExportCounts) {
        let route = Route::new("https://collector.example.com/secret-path/v1/traces?key=secret", OtlpProtocol::Http);
        let target =
            ExportTarget { name: "collector".to_owned(), routes: Vec::new(), content: None, is_default: assumed };
        let count = TargetCounters::new("collector", Signal::Traces);
        let health = TargetHealth::new(&target, &route, "spans", &ExportTiming::default(), Arc::clone(&count));
        (health, ExportCounts::from_counters(vec![count]))
    }

    /// Asserts that a delay is about this many seconds.
    fn about(pause: Duration, seconds: f64) {
        assert!((0.75..1.25).contains(&(pause.as_secs_f64() / seconds)), "{pause:?} is not about {seconds} s");
    }

    #[test]
    fn unreachable_and_blocked_targets_have_separate_backoffs() {
        let (mut health, counts) = health(false);
        for expect in [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0] {
            about(health.mark_unreachable("gone", None), expect);
        }
        for expect in [30.0, 60.0, 120.0, 240.0, 300.0, 300.0] {
            about(health.mark_blocked("401"), expect);
        }
        let report = counts.reports().remove(0);
        assert_eq!(report.state, ExportState::Blocked { why: "401".to_owned() });
        assert_eq!((report.endpoint.as_str(), report.is_default), ("https://collector.example.com:443", false));
        // A change of state resets the other backoff.
        about(health.mark_unreachable("gone", None), 0.5);
        assert_eq!(counts.reports()[0].state, ExportState::Unreachable { why: "gone".to_owned() });
        about(health.mark_blocked("401"), 30.0);
        health.mark_healthy();
        about(health.mark_blocked("401"), 30.0);
        health.mark_healthy();
        about(health.mark_unreachable("gone", None), 0.5);
        assert_eq!(health.mark_unreachable("gone", Some(Duration::from_secs(77))), Duration::from_secs(77));
        health.mark_healthy();
        assert_eq!(counts.reports()[0].state, ExportState::Healthy);
    }

    #[test]
    fn default_target_backs_off_to_the_maximum() {
        let (mut health, counts) = health(true);
        let last = (0..20).map(|_| health.mark_unreachable("nobody", None)).last();
        about(last.unwrap_or_default(), 300.0);
        assert!(counts.reports()[0].is_default);
    }
}

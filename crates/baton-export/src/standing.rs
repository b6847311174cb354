//! Health of a target. Only changes are logged.

use crate::{ExportTarget, Pace, Route, backoff::Backoff, counts::Count};
use baton_outbound::Target;
use baton_ports::ExportState;
use std::{sync::Arc, time::Duration};

/// Health of a target, with backoff.
pub(crate) struct Standing {
    target: String,
    place: String,
    /// Display name of the exported items.
    items: &'static str,
    assumed: bool,
    mood: Mood,
    /// Whether skipped items were already logged.
    skipping: bool,
    /// Backoff for temporary failures.
    soon: Backoff,
    /// Backoff for failures that need a configuration change.
    slow: Backoff,
    count: Arc<Count>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Well,
    Away,
    Blocked,
}

impl Standing {
    pub(crate) fn new(
        target: &ExportTarget,
        route: &Route,
        items: &'static str,
        pace: &Pace,
        count: Arc<Count>,
    ) -> Self {
        let longest = if target.assumed { pace.longest_assumed } else { pace.longest };
        let place = place(&route.url);
        count.describe(&place, target.assumed);
        Self {
            target: target.name.clone(),
            place,
            items,
            assumed: target.assumed,
            mood: Mood::Well,
            skipping: false,
            soon: Backoff::new(pace.first, longest),
            slow: Backoff::new(pace.longest, pace.longest_assumed.max(pace.longest)),
            count,
        }
    }

    /// Records a temporary failure; returns the retry delay, which respects the delay requested by the target.
    pub(crate) fn away(&mut self, why: &str, asked: Option<Duration>) -> Duration {
        self.count.set_state(ExportState::Unreachable { why: why.to_owned() });
        if std::mem::replace(&mut self.mood, Mood::Away) != Mood::Away {
            let Self { target, place, items, .. } = &*self;
            if self.assumed {
                tracing::debug!(target, place, why, "{items} are not accepted there; retrying occasionally");
            } else {
                tracing::warn!(target, place, why, "{items} cannot be sent; retrying");
            }
        }
        self.slow.reset();
        self.soon.pause(asked)
    }

    /// Records a failure that needs a configuration change; returns a long retry delay.
    pub(crate) fn blocked(&mut self, why: &str) -> Duration {
        self.count.set_state(ExportState::Blocked { why: why.to_owned() });
        if std::mem::replace(&mut self.mood, Mood::Blocked) != Mood::Blocked {
            let Self { target, place, items, .. } = &*self;
            if self.assumed {
                tracing::debug!(target, place, why, "{items} are rejected there; retrying occasionally");
            } else {
                tracing::warn!(
                    target,
                    place,
                    why,
                    "{items} are rejected until you change a setting here or at the target; retrying"
                );
            }
        }
        self.soon.reset();
        self.slow.pause(None)
    }

    /// Records that the target accepted or rejected a request.
    pub(crate) fn well(&mut self) {
        self.soon.reset();
        self.slow.reset();
        self.count.set_state(ExportState::Healthy);
        if std::mem::replace(&mut self.mood, Mood::Well) != Mood::Well {
            tracing::info!(target = self.target, place = self.place, "{} are sent again", self.items);
        }
    }

    /// Records accepted items.
    pub(crate) fn took(&mut self) {
        self.skipping = false;
    }

    /// Logs skipped items as a warning once until items are accepted.
    pub(crate) fn skips(&mut self, items: usize, why: &str) {
        let (target, place) = (&self.target, &self.place);
        if std::mem::replace(&mut self.skipping, true) {
            tracing::debug!(target, place, items, why, "{} were rejected and are skipped", self.items);
        } else {
            tracing::warn!(
                target,
                place,
                items,
                why,
                "{} were rejected and are skipped; further rejections are logged at debug level until some are accepted",
                self.items
            );
        }
    }
}

/// Scheme, host and port of a URL; the rest may be secret.
pub(crate) fn place(url: &str) -> String {
    Target::parse(url).map_or_else(|_| "an invalid address".to_owned(), |target| target.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExportCounts, Protocol, Signal};
    use baton_ports::ExportMonitor as _;

    fn standing(assumed: bool) -> (Standing, ExportCounts) {
        let route = Route::to("https://collector.example.com/secret-path/v1/traces?key=secret", Protocol::Http);
        let target = ExportTarget { name: "collector".to_owned(), routes: Vec::new(), content: None, assumed };
        let count = Count::new("collector", Signal::Traces);
        let standing = Standing::new(&target, &route, "spans", &Pace::default(), Arc::clone(&count));
        (standing, ExportCounts::of(vec![count]))
    }

    /// Asserts that a delay is about this many seconds.
    fn about(pause: Duration, seconds: f64) {
        assert!((0.75..1.25).contains(&(pause.as_secs_f64() / seconds)), "{pause:?} is not about {seconds} s");
    }

    #[test]
    fn who_may_be_back_is_tried_soon_and_who_waits_for_a_person_is_not() {
        let (mut standing, counts) = standing(false);
        for expect in [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0] {
            about(standing.away("gone", None), expect);
        }
        for expect in [30.0, 60.0, 120.0, 240.0, 300.0, 300.0] {
            about(standing.blocked("401"), expect);
        }
        let report = counts.reports().remove(0);
        assert_eq!(report.state, ExportState::Blocked { why: "401".to_owned() });
        assert_eq!((report.endpoint.as_str(), report.is_default), ("https://collector.example.com:443", false));
        // A change of state resets the other backoff.
        about(standing.away("gone", None), 0.5);
        assert_eq!(counts.reports()[0].state, ExportState::Unreachable { why: "gone".to_owned() });
        about(standing.blocked("401"), 30.0);
        standing.well();
        about(standing.blocked("401"), 30.0);
        standing.well();
        about(standing.away("gone", None), 0.5);
        assert_eq!(standing.away("gone", Some(Duration::from_secs(77))), Duration::from_secs(77));
        standing.well();
        assert_eq!(counts.reports()[0].state, ExportState::Healthy);
    }

    #[test]
    fn somebody_whom_nobody_named_is_tried_ever_more_rarely() {
        let (mut standing, counts) = standing(true);
        let last = (0..20).map(|_| standing.away("nobody", None)).last();
        about(last.unwrap_or_default(), 300.0);
        assert!(counts.reports()[0].is_default);
    }
}

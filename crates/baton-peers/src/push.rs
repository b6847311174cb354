//! Push notifications from peers. A notification only wakes the follower, which then reads the task from the peer.

use baton_types::Digest;
use baton_wire::a2a::v1::TaskPushNotificationConfig;
use parking_lot::Mutex;
use std::{collections::HashMap, fmt::Write as _, sync::Arc, time::Duration};
use tokio::{sync::Notify, time::Instant};

/// Maximum number of registered tasks; further tasks are polled.
const MOST: usize = 4096;

/// How long notifications are accepted after their registration ended, because a rejected sender may retry for a day.
const LATE: Duration = Duration::from_secs(10 * 60);

/// Path of the notification endpoint, below the public URL of this Baton.
const PATH: &str = "/api/v1/peers/notifications/";

/// Receives notifications and wakes the waiting followers.
#[derive(Clone)]
pub(crate) struct PushDesk {
    base: Arc<str>,
    waiting: Arc<Mutex<HashMap<String, Waiting>>>,
}

struct Waiting {
    /// Digest of the token, so that the comparison leaks no timing information about the token.
    token: Digest,
    knock: Arc<Notify>,
    /// Time at which the registration was dropped.
    over: Option<Instant>,
}

impl Waiting {
    fn is_stale(&self) -> bool {
        self.over.is_some_and(|over| over.elapsed() > LATE)
    }
}

/// Registration of one task; it ends when dropped.
pub(crate) struct Registration {
    desk: PushDesk,
    id: String,
    token: String,
    knock: Arc<Notify>,
}

impl PushDesk {
    /// `base` is the URL of this Baton as seen by peers.
    pub(crate) fn new(base: &str) -> Self {
        Self { base: base.trim_end_matches('/').into(), waiting: Arc::default() }
    }

    /// Registers one task; `None` if the limit is reached.
    pub(crate) fn register(&self) -> Option<Registration> {
        let (id, token) = (random()?, random()?);
        let knock = Arc::new(Notify::new());
        let mut waiting = self.waiting.lock();
        if waiting.len() >= MOST {
            waiting.retain(|_, entry| !entry.is_stale());
        }
        if waiting.len() >= MOST {
            // Active registrations take precedence over ended ones that may still receive a late notification.
            waiting.retain(|_, entry| entry.over.is_none());
        }
        if waiting.len() >= MOST {
            return None;
        }
        let entry = Waiting { token: Digest::compute(token.as_bytes()), knock: Arc::clone(&knock), over: None };
        waiting.insert(id.clone(), entry);
        Some(Registration { desk: self.clone(), id, token, knock })
    }

    /// Wakes the follower with this registration if the token matches; ended registrations are accepted for a while.
    pub(crate) fn notified(&self, registration: &str, token: Option<&str>) -> bool {
        let shown = Digest::compute(token.unwrap_or_default().as_bytes());
        let waiting = self.waiting.lock();
        match waiting.get(registration) {
            Some(entry) if entry.token == shown && !entry.is_stale() => {
                entry.knock.notify_one();
                true
            }
            _ => false,
        }
    }
}

impl Registration {
    /// The push configuration to send to the peer.
    pub(crate) fn config(&self, task: &str) -> TaskPushNotificationConfig<'static> {
        TaskPushNotificationConfig {
            task_id: task.to_owned().into(),
            url: format!("{}{PATH}{}", self.desk.base, self.id).into(),
            token: Some(self.token.clone().into()),
            ..TaskPushNotificationConfig::default()
        }
    }

    /// Waits for a notification; returns immediately if one arrived earlier.
    pub(crate) async fn notified(&self) {
        self.knock.notified().await;
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(entry) = self.desk.waiting.lock().get_mut(&self.id) {
            entry.over = Some(Instant::now());
        }
    }
}

fn random() -> Option<String> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes).ok()?;
    let mut text = String::with_capacity(48);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[tokio::test(start_paused = true)]
    async fn only_the_right_token_wakes_and_the_last_word_may_come_late() {
        let desk = PushDesk::new("https://baton.example/");
        let registration = desk.register().expect("there is room");
        let config = registration.config("t");
        assert_eq!(config.url, format!("https://baton.example{PATH}{}", registration.id));
        for token in [None, Some(""), Some("wrong")] {
            assert!(!desk.notified(&registration.id, token));
        }
        assert!(registration.notified().now_or_never().is_none());
        assert!(!desk.notified("other", config.token.as_deref()));
        assert!(desk.notified(&registration.id, config.token.as_deref()));
        assert!(registration.notified().now_or_never().is_some());
        let id = registration.id.clone();
        drop(registration);
        assert!(desk.notified(&id, config.token.as_deref()));
        assert!(!desk.notified(&id, Some("wrong")));
        tokio::time::advance(LATE + Duration::from_secs(1)).await;
        assert!(!desk.notified(&id, config.token.as_deref()));
    }

    #[tokio::test]
    async fn registrations_are_bounded() {
        let desk = PushDesk::new("https://baton.example");
        let mut held: Vec<_> = (0..MOST).map(|_| desk.register()).collect();
        assert!(held.iter().all(Option::is_some) && desk.register().is_none());
        held.pop();
        assert!(desk.register().is_some(), "those that are over make room");
    }
}

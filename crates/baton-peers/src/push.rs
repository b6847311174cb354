//! Push notifications from peers. A notification only wakes the follower, which then reads the task from the peer.

use baton_types::Digest;
use baton_wire::a2a::v1::TaskPushNotificationConfig;
use parking_lot::Mutex;
use std::{collections::HashMap, fmt::Write as _, sync::Arc, time::Duration};
use tokio::{sync::Notify, time::Instant};

/// Maximum number of registered tasks; further tasks are polled.
const MAX_REGISTRATIONS: usize = 4096;

/// How long notifications are accepted after their registration ended, because a rejected sender may retry for a day.
const LATE_NOTIFICATION_PERIOD: Duration = Duration::from_secs(10 * 60);

/// Path of the notification endpoint, below the public URL of this Baton.
const NOTIFICATIONS_PATH: &str = "/api/v1/peers/notifications/";

/// Receives notifications and wakes the waiting followers.
#[derive(Clone)]
pub(crate) struct PushInbox {
    base: Arc<str>,
    waiters: Arc<Mutex<HashMap<String, PushWaiter>>>,
}

struct PushWaiter {
    /// Digest of the token, so that the comparison leaks no timing information about the token.
    token: Digest,
    wake: Arc<Notify>,
    /// Time at which the registration was dropped.
    ended_at: Option<Instant>,
}

impl PushWaiter {
    fn is_stale(&self) -> bool {
        self.ended_at.is_some_and(|over| over.elapsed() > LATE_NOTIFICATION_PERIOD)
    }
}

/// Registration of one task; it ends when dropped.
pub(crate) struct PushRegistration {
    inbox: PushInbox,
    id: String,
    token: String,
    wake: Arc<Notify>,
}

impl PushInbox {
    /// `base` is the URL of this Baton as seen by peers.
    pub(crate) fn new(base: &str) -> Self {
        Self { base: base.trim_end_matches('/').into(), waiters: Arc::default() }
    }

    /// Registers one task; `None` if the limit is reached.
    pub(crate) fn register(&self) -> Option<PushRegistration> {
        let (id, token) = (random()?, random()?);
        let knock = Arc::new(Notify::new());
        let mut waiting = self.waiters.lock();
        if waiting.len() >= MAX_REGISTRATIONS {
            waiting.retain(|_, entry| !entry.is_stale());
        }
        if waiting.len() >= MAX_REGISTRATIONS {
            // Active registrations take precedence over ended ones that may still receive a late notification.
            waiting.retain(|_, entry| entry.ended_at.is_none());
        }
        if waiting.len() >= MAX_REGISTRATIONS {
            return None;
        }
        let entry = PushWaiter { token: Digest::compute(token.as_bytes()), wake: Arc::clone(&knock), ended_at: None };
        waiting.insert(id.clone(), entry);
        Some(PushRegistration { inbox: self.clone(), id, token, wake: knock })
    }

    /// Wakes the follower with this registration if the token matches; ended registrations are accepted for a while.
    pub(crate) fn handle_notification(&self, registration: &str, token: Option<&str>) -> bool {
        let shown = Digest::compute(token.unwrap_or_default().as_bytes());
        let waiting = self.waiters.lock();
        match waiting.get(registration) {
            Some(entry) if entry.token == shown && !entry.is_stale() => {
                entry.wake.notify_one();
                true
            }
            _ => false,
        }
    }
}

impl PushRegistration {
    /// The push configuration to send to the peer.
    pub(crate) fn config(&self, task: &str) -> TaskPushNotificationConfig<'static> {
        TaskPushNotificationConfig {
            task_id: task.to_owned().into(),
            url: format!("{}{NOTIFICATIONS_PATH}{}", self.inbox.base, self.id).into(),
            token: Some(self.token.clone().into()),
            ..TaskPushNotificationConfig::default()
        }
    }

    /// Waits for a notification; returns immediately if one arrived earlier.
    pub(crate) async fn notified(&self) {
        self.wake.notified().await;
    }
}

impl Drop for PushRegistration {
    fn drop(&mut self) {
        if let Some(entry) = self.inbox.waiters.lock().get_mut(&self.id) {
            entry.ended_at = Some(Instant::now());
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
    async fn notification_needs_its_token_and_is_accepted_late() {
        let inbox = PushInbox::new("https://baton.example/");
        let registration = inbox.register().expect("there is room");
        let config = registration.config("t");
        assert_eq!(config.url, format!("https://baton.example{NOTIFICATIONS_PATH}{}", registration.id));
        for token in [None, Some(""), Some("wrong")] {
            assert!(!inbox.handle_notification(&registration.id, token));
        }
        assert!(registration.notified().now_or_never().is_none());
        assert!(!inbox.handle_notification("other", config.token.as_deref()));
        assert!(inbox.handle_notification(&registration.id, config.token.as_deref()));
        assert!(registration.notified().now_or_never().is_some());
        let id = registration.id.clone();
        drop(registration);
        assert!(inbox.handle_notification(&id, config.token.as_deref()));
        assert!(!inbox.handle_notification(&id, Some("wrong")));
        tokio::time::advance(LATE_NOTIFICATION_PERIOD + Duration::from_secs(1)).await;
        assert!(!inbox.handle_notification(&id, config.token.as_deref()));
    }

    #[tokio::test]
    async fn registrations_are_limited() {
        let inbox = PushInbox::new("https://baton.example");
        let mut held: Vec<_> = (0..MAX_REGISTRATIONS).map(|_| inbox.register()).collect();
        assert!(held.iter().all(Option::is_some) && inbox.register().is_none());
        held.pop();
        assert!(inbox.register().is_some(), "ended registrations free their slot");
    }
}

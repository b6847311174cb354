//! Notifications from peers: a knock on the door, after which we go and look ourselves.

use baton_types::Digest;
use baton_wire::a2a::v1::TaskPushNotificationConfig;
use parking_lot::Mutex;
use std::{collections::HashMap, fmt::Write as _, sync::Arc, time::Duration};
use tokio::{sync::Notify, time::Instant};

/// Most tasks about which we want to be notified at the same time; others are looked at from time to time.
const MOST: usize = 4096;

/// How long the last notification of a task may take: whoever is refused may try again for a day.
const LATE: Duration = Duration::from_secs(10 * 60);

/// Where peers send notifications, below the address by which this Baton is reached.
const PATH: &str = "/api/v1/peers/notifications/";

/// Takes notifications and wakes whoever waits for them.
#[derive(Clone)]
pub(crate) struct PushDesk {
    base: Arc<str>,
    waiting: Arc<Mutex<HashMap<String, Waiting>>>,
}

struct Waiting {
    /// Tokens are compared by their digests, which tell nobody by the time it takes how much was right.
    token: Digest,
    knock: Arc<Notify>,
    /// When nobody waited any more.
    over: Option<Instant>,
}

impl Waiting {
    fn is_stale(&self) -> bool {
        self.over.is_some_and(|over| over.elapsed() > LATE)
    }
}

/// One task about which we want to be notified, for as long as this lives.
pub(crate) struct Registration {
    desk: PushDesk,
    id: String,
    token: String,
    knock: Arc<Notify>,
}

impl PushDesk {
    /// `base` is the address by which peers reach this Baton.
    pub(crate) fn new(base: &str) -> Self {
        Self { base: base.trim_end_matches('/').into(), waiting: Arc::default() }
    }

    /// A place for one task; none when all are taken.
    pub(crate) fn register(&self) -> Option<Registration> {
        let (id, token) = (random()?, random()?);
        let knock = Arc::new(Notify::new());
        let mut waiting = self.waiting.lock();
        if waiting.len() >= MOST {
            waiting.retain(|_, entry| !entry.is_stale());
        }
        if waiting.len() >= MOST {
            // Those who wait come before those who may still be told something late.
            waiting.retain(|_, entry| entry.over.is_none());
        }
        if waiting.len() >= MOST {
            return None;
        }
        let entry = Waiting { token: Digest::compute(token.as_bytes()), knock: Arc::clone(&knock), over: None };
        waiting.insert(id.clone(), entry);
        Some(Registration { desk: self.clone(), id, token, knock })
    }

    /// Wakes whoever waits under this name, if the token is right; for a while also when nobody does any more.
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
    /// What the peer is asked for.
    pub(crate) fn config(&self, task: &str) -> TaskPushNotificationConfig<'static> {
        TaskPushNotificationConfig {
            task_id: task.to_owned().into(),
            url: format!("{}{PATH}{}", self.desk.base, self.id).into(),
            token: Some(self.token.clone().into()),
            ..TaskPushNotificationConfig::default()
        }
    }

    /// Waits for a notification; one that came before counts.
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

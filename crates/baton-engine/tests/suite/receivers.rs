//! Scripted receivers of push notifications: they record notifications and fail on request.

use baton_ports::{BoxFuture, NotificationOutcome, TaskNotification, WebhookError, WebhookSender};
use baton_types::{JournalEvent, PushConfig, PushDialect, TaskEvent, TaskId, TaskState};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{sync::watch, time::Instant};

/// An accepted notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) url: String,
    pub(crate) task: TaskId,
    pub(crate) number: u64,
    /// Version and state of the task in the notification.
    pub(crate) version: u64,
    pub(crate) state: TaskState,
}

/// Behavior of a receiver; the last matching rule applies.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) url: &'static str,
    pub(crate) number: Option<u64>,
    pub(crate) behavior: Behavior,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behavior {
    Accept,
    Fail,
    Hang,
    /// Fails after ten seconds.
    TimeOut,
}

/// All receivers; the state survives crashes. Words in an address select its behavior: `flaky` fails now and then,
/// `hole` never answers, `forbidden` is refused by the policy, `slow-name` resolves slowly. The older dialect cannot
/// represent tool results.
#[derive(Clone)]
pub(crate) struct Receivers {
    rules: Arc<Mutex<Vec<Rule>>>,
    arrivals: Arc<Mutex<Vec<Arrival>>>,
    attempts: Arc<watch::Sender<Vec<DeliveryAttempt>>>,
}

/// A delivery attempt, whatever its outcome.
#[derive(Clone, Debug)]
pub(crate) struct DeliveryAttempt {
    pub(crate) url: String,
    pub(crate) number: u64,
    pub(crate) at: Instant,
}

impl Default for Receivers {
    fn default() -> Self {
        Self { rules: Arc::default(), arrivals: Arc::default(), attempts: Arc::new(watch::Sender::new(Vec::new())) }
    }
}

impl Receivers {
    pub(crate) fn rule(&self, url: &'static str, number: Option<u64>, behavior: Behavior) {
        self.rules.lock().unwrap().push(Rule { url, number, behavior });
    }

    /// Notifications accepted at one address, oldest first.
    pub(crate) fn at(&self, url: &str) -> Vec<Arrival> {
        self.arrivals.lock().unwrap().iter().filter(|arrival| arrival.url == url).cloned().collect()
    }

    /// Notifications accepted at addresses that contain `part`, oldest first.
    pub(crate) fn all(&self, part: &str) -> Vec<Arrival> {
        self.arrivals.lock().unwrap().iter().filter(|arrival| arrival.url.contains(part)).cloned().collect()
    }

    /// Accepted event numbers, without immediate repetitions, which a crash may cause.
    pub(crate) fn numbers(&self, url: &str) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.at(url).iter().map(|arrival| arrival.number).collect();
        numbers.dedup();
        numbers
    }

    pub(crate) fn attempts(&self, url: &str) -> Vec<DeliveryAttempt> {
        self.attempts.borrow().iter().filter(|tried| tried.url == url).cloned().collect()
    }

    /// Waits for this number of attempts at one address.
    pub(crate) async fn wait_for_attempts(&self, url: &str, times: usize) {
        let mut attempts = self.attempts.subscribe();
        let enough =
            |attempts: &Vec<DeliveryAttempt>| attempts.iter().filter(|tried| tried.url == url).count() >= times;
        attempts.wait_for(enough).await.unwrap();
    }

    fn behavior(&self, url: &str, number: u64) -> Behavior {
        if url.contains("flaky") {
            let mut hasher = DefaultHasher::new();
            (url, number, self.attempts.borrow().len()).hash(&mut hasher);
            return if hasher.finish().is_multiple_of(3) { Behavior::Fail } else { Behavior::Accept };
        }
        if url.contains("hole") {
            return Behavior::TimeOut;
        }
        let rules = self.rules.lock().unwrap();
        let fits = |rule: &&Rule| rule.url == url && rule.number.is_none_or(|only| only == number);
        rules.iter().rev().find(fits).map_or(Behavior::Accept, |rule| rule.behavior)
    }
}

impl WebhookSender for Receivers {
    fn check_receiver<'a>(&'a self, config: &'a PushConfig) -> BoxFuture<'a, Result<(), WebhookError>> {
        Box::pin(async move {
            if config.url.contains("slow-name") {
                tokio::time::sleep(Duration::from_secs(5)).await;
            }
            let forbidden = config.url.contains("forbidden");
            if forbidden { Err(WebhookError::Forbidden("not there".to_owned())) } else { Ok(()) }
        })
    }

    fn notify<'a>(
        &'a self,
        config: &'a PushConfig,
        notice: TaskNotification<'a>,
    ) -> BoxFuture<'a, Result<NotificationOutcome, WebhookError>> {
        Box::pin(async move {
            let (url, number) = (config.url.clone(), notice.event.number);
            let silent = matches!(notice.event.fact, JournalEvent::Task(TaskEvent::ToolFinished { .. }));
            if silent && config.dialect == PushDialect::V03 {
                return Ok(NotificationOutcome::NotApplicable);
            }
            let behavior = self.behavior(&url, number);
            let took = || {
                let (version, state) = (notice.task.version, notice.task.state);
                let task = notice.task.id.clone();
                self.arrivals.lock().unwrap().push(Arrival { url: url.clone(), task, number, version, state });
            };
            if behavior == Behavior::Accept {
                took();
            }
            self.attempts.send_modify(|attempts| {
                attempts.push(DeliveryAttempt { url: url.clone(), number, at: Instant::now() });
            });
            match behavior {
                Behavior::Accept => {
                    // The reply takes a moment, in which the process may crash.
                    tokio::task::yield_now().await;
                    Ok(NotificationOutcome::Delivered)
                }
                Behavior::Fail => Err(WebhookError::Failed("503".to_owned())),
                Behavior::TimeOut => {
                    tokio::time::sleep(Duration::from_secs(10)).await;
                    Err(WebhookError::Failed("no answer".to_owned()))
                }
                Behavior::Hang => std::future::pending().await,
            }
        })
    }
}

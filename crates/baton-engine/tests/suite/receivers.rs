//! Receivers of push notifications: they write down what arrives, and fail when they are told to.

use baton_ports::{BoxFuture, NotificationOutcome, TaskNotification, WebhookError, WebhookSender};
use baton_types::{JournalEvent, PushConfig, PushDialect, TaskEvent, TaskId, TaskState};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{sync::watch, time::Instant};

/// A notification that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) url: String,
    pub(crate) task: TaskId,
    pub(crate) number: u64,
    /// The task as it came along.
    pub(crate) version: u64,
    pub(crate) state: TaskState,
}

/// How receivers behave; the last rule that fits decides.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) url: &'static str,
    pub(crate) number: Option<u64>,
    pub(crate) does: Does,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    Take,
    Fail,
    Hang,
    /// Fails after ten seconds.
    TimeOut,
}

/// Everybody outside; survives crashes. A receiver whose address says `flaky` fails now and then, one that says
/// `hole` never answers, one that says `forbidden` is never admitted, one that says `slow-name` is found after a while, and the older dialect
/// has no word for results of tools.
#[derive(Clone)]
pub(crate) struct Receivers {
    rules: Arc<Mutex<Vec<Rule>>>,
    arrivals: Arc<Mutex<Vec<Arrival>>>,
    tries: Arc<watch::Sender<Vec<Try>>>,
}

/// Somebody was told, whatever came of it.
#[derive(Clone, Debug)]
pub(crate) struct Try {
    pub(crate) url: String,
    pub(crate) number: u64,
    pub(crate) at: Instant,
}

impl Default for Receivers {
    fn default() -> Self {
        Self { rules: Arc::default(), arrivals: Arc::default(), tries: Arc::new(watch::Sender::new(Vec::new())) }
    }
}

impl Receivers {
    pub(crate) fn rule(&self, url: &'static str, number: Option<u64>, does: Does) {
        self.rules.lock().unwrap().push(Rule { url, number, does });
    }

    /// What arrived at one address, oldest first.
    pub(crate) fn at(&self, url: &str) -> Vec<Arrival> {
        self.arrivals.lock().unwrap().iter().filter(|arrival| arrival.url == url).cloned().collect()
    }

    /// What arrived at addresses that say this, oldest first.
    pub(crate) fn all(&self, part: &str) -> Vec<Arrival> {
        self.arrivals.lock().unwrap().iter().filter(|arrival| arrival.url.contains(part)).cloned().collect()
    }

    /// The events that arrived, without immediate repetitions, which a crash may cause.
    pub(crate) fn numbers(&self, url: &str) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.at(url).iter().map(|arrival| arrival.number).collect();
        numbers.dedup();
        numbers
    }

    pub(crate) fn tries(&self, url: &str) -> Vec<Try> {
        self.tries.borrow().iter().filter(|tried| tried.url == url).cloned().collect()
    }

    /// Waits until one address was told so often.
    pub(crate) async fn tried(&self, url: &str, times: usize) {
        let mut tries = self.tries.subscribe();
        let enough = |tries: &Vec<Try>| tries.iter().filter(|tried| tried.url == url).count() >= times;
        tries.wait_for(enough).await.unwrap();
    }

    fn does(&self, url: &str, number: u64) -> Does {
        if url.contains("flaky") {
            let mut hasher = DefaultHasher::new();
            (url, number, self.tries.borrow().len()).hash(&mut hasher);
            return if hasher.finish().is_multiple_of(3) { Does::Fail } else { Does::Take };
        }
        if url.contains("hole") {
            return Does::TimeOut;
        }
        let rules = self.rules.lock().unwrap();
        let fits = |rule: &&Rule| rule.url == url && rule.number.is_none_or(|only| only == number);
        rules.iter().rev().find(fits).map_or(Does::Take, |rule| rule.does)
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
            let does = self.does(&url, number);
            let took = || {
                let (version, state) = (notice.task.version, notice.task.state);
                let task = notice.task.id.clone();
                self.arrivals.lock().unwrap().push(Arrival { url: url.clone(), task, number, version, state });
            };
            if does == Does::Take {
                took();
            }
            self.tries.send_modify(|tries| tries.push(Try { url: url.clone(), number, at: Instant::now() }));
            match does {
                Does::Take => {
                    // The answer takes a moment, in which the process may die.
                    tokio::task::yield_now().await;
                    Ok(NotificationOutcome::Delivered)
                }
                Does::Fail => Err(WebhookError::Failed("503".to_owned())),
                Does::TimeOut => {
                    tokio::time::sleep(Duration::from_secs(10)).await;
                    Err(WebhookError::Failed("no answer".to_owned()))
                }
                Does::Hang => std::future::pending().await,
            }
        })
    }
}

//! A model with scripted events that counts its calls.

use baton_ports::{FinishReason, Model, ModelCall, ModelError, ModelEvent, ModelInfo, ModelStream, RetryAdvice};
use baton_types::{Clock, Timestamp, Usage};
use futures_util::StreamExt;
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// One step of a response.
#[derive(Clone)]
pub(crate) enum Step {
    Say(&'static str),
    Wait(u64),
    Fail(ModelError),
    Done,
    Pending,
}

/// Responses in order of the calls; the last one repeats.
pub(crate) struct ScriptedModel {
    name: &'static str,
    about: ModelInfo,
    answers: Mutex<VecDeque<Vec<Step>>>,
    pub(crate) calls: AtomicUsize,
    pub(crate) open: Arc<AtomicUsize>,
}

/// Counts live streams.
struct OpenStream(Arc<AtomicUsize>);

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

pub(crate) fn scripted(name: &'static str, answers: &[&[Step]]) -> Arc<ScriptedModel> {
    with_window(name, None, answers)
}

pub(crate) fn with_window(name: &'static str, window: Option<u64>, answers: &[&[Step]]) -> Arc<ScriptedModel> {
    let answers = Mutex::new(answers.iter().map(|steps| steps.to_vec()).collect());
    let about = ModelInfo { window, ..ModelInfo::default() };
    Arc::new(ScriptedModel { name, about, answers, calls: AtomicUsize::new(0), open: Arc::default() })
}

impl ScriptedModel {
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        self.name
    }

    fn model_info(&self) -> ModelInfo {
        self.about.clone()
    }

    fn price(&self, usage: Usage) -> Option<u64> {
        Some(usage.total() * self.name.len() as u64)
    }

    fn call(&self, _: ModelCall) -> ModelStream {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().unwrap();
        let steps = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }.unwrap_or_default();
        self.open.fetch_add(1, Ordering::SeqCst);
        let open = OpenStream(Arc::clone(&self.open));
        Box::pin(async_stream::stream! {
            let _open = open;
            for step in steps {
                match step {
                    Step::Say(text) => yield Ok(ModelEvent::Text(text.to_owned())),
                    Step::Wait(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
                    Step::Fail(error) => {
                        yield Err(error);
                        return;
                    }
                    Step::Done => {
                        yield Ok(ModelEvent::Done { usage: Usage::new(10, 5), finish: FinishReason::Stop, answered_by: None });
                    }
                    Step::Pending => std::future::pending::<()>().await,
                }
            }
        })
    }
}

pub(crate) fn refused(status: u16, retry_after: Option<u64>) -> ModelError {
    ModelError::Refused {
        status,
        message: "no".to_owned(),
        advice: RetryAdvice { wait: retry_after.map(Duration::from_secs), ..RetryAdvice::default() },
    }
}

/// The whole response, one line per event.
pub(crate) async fn output_lines(model: &dyn Model, call: ModelCall) -> String {
    let events: Vec<_> = model.call(call).collect().await;
    crate::calls::shown(&events)
}

/// A clock that never advances.
pub(crate) struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::parse("2026-11-16T12:00:00Z").unwrap()
    }
}

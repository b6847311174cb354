//! Notifications to the client while its request runs: progress, log messages, heartbeats.

use crate::serve::on_stream;
use baton_ports::ToolProgress;
use baton_toolhost::CallEvents;
use rmcp::{
    ErrorData, RoleServer,
    model::{LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken},
    service::RequestContext,
};
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{
    sync::mpsc::{Receiver, Sender, channel},
    time::{Instant, sleep_until},
};

/// Queue capacity; further events are dropped, because only the latest progress matters.
const WAITING: usize = 64;

/// Forwards progress and log messages of a tool to the client.
pub(super) struct Relay {
    token: Option<ProgressToken>,
    level: Option<LoggingLevel>,
    heartbeat: Duration,
    heard: Option<(Teller, Receiver<Said>)>,
    /// Progress value sent last.
    last: Option<f64>,
    /// Whether a heartbeat was sent that the tool's own progress does not include.
    ahead: bool,
}

/// Queues events of a tool; never blocks.
#[derive(Clone)]
pub(super) struct Teller(Sender<Said>);

enum Said {
    Progress(ToolProgress),
    Log(LoggingMessageNotificationParam),
}

impl CallEvents for Teller {
    fn progress(&self, progress: ProgressNotificationParam) {
        let ProgressNotificationParam { progress: done, total, message, .. } = progress;
        self.progressed(ToolProgress { done, total, message });
    }

    fn log(&self, message: LoggingMessageNotificationParam) {
        // Dropped if the client reads too slowly.
        let _ = self.0.try_send(Said::Log(message));
    }
}

impl Teller {
    pub(super) fn progressed(&self, progress: ToolProgress) {
        let _ = self.0.try_send(Said::Progress(progress));
    }
}

impl Relay {
    /// Relay for one request; sends no progress without a token and no log messages without a level.
    pub(super) fn new(context: &RequestContext<RoleServer>, level: Option<LoggingLevel>, heartbeat: Duration) -> Self {
        let token = context.meta.get_progress_token();
        Self { token, level, heartbeat, heard: None, last: None, ahead: false }
    }

    /// Event sink for a tool; `None` if the client wants neither progress nor log messages.
    pub(super) fn teller(&mut self) -> Option<Teller> {
        if self.token.is_none() && self.level.is_none() {
            return None;
        }
        let (teller, _) = self.heard.get_or_insert_with(|| {
            let (sender, receiver) = channel(WAITING);
            (Teller(sender), receiver)
        });
        Some(teller.clone())
    }

    /// The same sink for MCP servers.
    pub(super) fn events(&mut self) -> Option<Arc<dyn CallEvents>> {
        self.teller().map(|teller| Arc::new(teller) as Arc<dyn CallEvents>)
    }

    /// Event sink for a tool that reports only progress; `None` without a progress token.
    pub(super) fn progress_teller(&mut self) -> Option<Teller> {
        self.token.as_ref()?;
        self.teller()
    }

    /// Runs `work` and forwards events meanwhile; fails if the client cancels the request.
    pub(super) async fn during<T>(
        &mut self,
        context: &RequestContext<RoleServer>,
        work: impl Future<Output = T>,
    ) -> Result<T, ErrorData> {
        let mut work = pin!(work);
        let mut due = Instant::now() + self.heartbeat;
        loop {
            let said = tokio::select! {
                biased;
                done = &mut work => {
                    self.say_rest(context).await;
                    return Ok(done);
                }
                () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelled", None)),
                said = hear(&mut self.heard) => Some(said),
                () = sleep_until(due), if self.token.is_some() => None,
            };
            due = Instant::now() + self.heartbeat;
            match said {
                // Rare and large: boxed, so that calls without events stay small.
                Some(said) => Box::pin(self.say(context, said)).await,
                None => Box::pin(self.say_alive(context)).await,
            }
        }
    }

    async fn say_rest(&mut self, context: &RequestContext<RoleServer>) {
        loop {
            let Some((_, receiver)) = &mut self.heard else { return };
            let Ok(said) = receiver.try_recv() else { return };
            Box::pin(self.say(context, said)).await;
        }
    }

    async fn say(&mut self, context: &RequestContext<RoleServer>, said: Said) {
        match said {
            Said::Progress(progress) => self.say_progress(context, progress).await,
            Said::Log(message) => {
                if self.level.is_some_and(|level| severity(message.level) >= severity(level)) {
                    let _ = context.peer.notify_logging_message(message).await;
                }
            }
        }
    }

    async fn say_alive(&mut self, context: &RequestContext<RoleServer>) {
        let message = Some("still working".to_owned());
        self.say_progress(context, ToolProgress { done: next_step(self.last), total: None, message }).await;
        self.ahead = true;
    }

    async fn say_progress(&mut self, context: &RequestContext<RoleServer>, progress: ToolProgress) {
        let Some(token) = self.token.clone() else { return };
        let progress = match self.ahead {
            true => growing(self.last, progress),
            false => progress,
        };
        self.last = Some(progress.done);
        let mut params = ProgressNotificationParam::new(token, progress.done);
        params.total = progress.total;
        params.message = progress.message;
        on_stream(context).await;
        let _ = context.peer.notify_progress(params).await;
    }
}

/// Heartbeats count up in whole steps: 1, 2, 3, or from the last reported progress.
fn next_step(last: Option<f64>) -> f64 {
    last.unwrap_or_default().max(0.0).floor() + 1.0
}

/// Progress must increase. A tool's progress is forwarded unchanged unless a heartbeat is ahead of it; then it becomes
/// the next step, without the tool's total.
fn growing(last: Option<f64>, progress: ToolProgress) -> ToolProgress {
    match last {
        Some(said) if progress.done <= said => ToolProgress { done: next_step(last), total: None, ..progress },
        _ => progress,
    }
}

/// Numeric order of log levels.
pub(super) fn severity(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

async fn hear(heard: &mut Option<(Teller, Receiver<Said>)>) -> Said {
    match heard {
        // The relay holds a sender, so the channel never closes.
        Some((_, receiver)) => match receiver.recv().await {
            Some(said) => said,
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_life_are_whole_steps_above_everything_that_was_said() {
        for (last, next) in [(None, 1.0), (Some(1.0), 2.0), (Some(50.0), 51.0), (Some(0.4), 1.0), (Some(-3.0), 1.0)] {
            assert_eq!(next_step(last), next, "{last:?}");
        }
        let said = |done, total| ToolProgress { done, total, message: Some("words".to_owned()) };
        for (last, progress, passed_on) in [
            (51.0, said(75.0, Some(100.0)), said(75.0, Some(100.0))),
            (51.0, said(51.0, Some(100.0)), said(52.0, None)),
            (1.0, said(0.7, Some(1.0)), said(2.0, None)),
        ] {
            assert_eq!(growing(Some(last), progress), passed_on, "{last}");
        }
    }
}

//! Notifications to the client while its request runs: progress, log messages, heartbeats.

use crate::serve::ensure_stream;
use baton_ports::ToolProgress;
use baton_toolhost::CallObserver;
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
const EVENT_QUEUE_CAPACITY: usize = 64;

/// Forwards progress and log messages of a tool to the client.
pub(super) struct Relay {
    token: Option<ProgressToken>,
    level: Option<LoggingLevel>,
    heartbeat: Duration,
    event_channel: Option<(RelaySender, Receiver<RelayEvent>)>,
    /// Progress value sent last.
    last_progress: Option<f64>,
    /// Whether a heartbeat was sent that the tool's own progress does not include.
    heartbeat_ahead: bool,
}

/// Queues events of a tool; never blocks.
#[derive(Clone)]
pub(super) struct RelaySender(Sender<RelayEvent>);

enum RelayEvent {
    Progress(ToolProgress),
    Log(LoggingMessageNotificationParam),
}

impl CallObserver for RelaySender {
    fn progress(&self, progress: ProgressNotificationParam) {
        let ProgressNotificationParam { progress: done, total, message, .. } = progress;
        self.send_progress(ToolProgress { done, total, message });
    }

    fn log(&self, message: LoggingMessageNotificationParam) {
        // Dropped if the client reads too slowly.
        let _ = self.0.try_send(RelayEvent::Log(message));
    }
}

impl RelaySender {
    pub(super) fn send_progress(&self, progress: ToolProgress) {
        let _ = self.0.try_send(RelayEvent::Progress(progress));
    }
}

impl Relay {
    /// Relay for one request; sends no progress without a token and no log messages without a level.
    pub(super) fn new(context: &RequestContext<RoleServer>, level: Option<LoggingLevel>, heartbeat: Duration) -> Self {
        let token = context.meta.get_progress_token();
        Self { token, level, heartbeat, event_channel: None, last_progress: None, heartbeat_ahead: false }
    }

    /// Event sink for a tool; `None` if the client wants neither progress nor log messages.
    pub(super) fn event_sender(&mut self) -> Option<RelaySender> {
        if self.token.is_none() && self.level.is_none() {
            return None;
        }
        let (sender, _) = self.event_channel.get_or_insert_with(|| {
            let (sender, receiver) = channel(EVENT_QUEUE_CAPACITY);
            (RelaySender(sender), receiver)
        });
        Some(sender.clone())
    }

    /// The same sink for MCP servers.
    pub(super) fn events(&mut self) -> Option<Arc<dyn CallObserver>> {
        self.event_sender().map(|sender| Arc::new(sender) as Arc<dyn CallObserver>)
    }

    /// Event sink for a tool that reports only progress; `None` without a progress token.
    pub(super) fn progress_sender(&mut self) -> Option<RelaySender> {
        self.token.as_ref()?;
        self.event_sender()
    }

    /// Runs `work` and forwards events meanwhile; fails if the client cancels the request.
    pub(super) async fn run_with_events<T>(
        &mut self,
        context: &RequestContext<RoleServer>,
        work: impl Future<Output = T>,
    ) -> Result<T, ErrorData> {
        let mut work = pin!(work);
        let mut due = Instant::now() + self.heartbeat;
        loop {
            let event = tokio::select! {
                biased;
                done = &mut work => {
                    self.drain_events(context).await;
                    return Ok(done);
                }
                () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelled", None)),
                event = receive_event(&mut self.event_channel) => Some(event),
                () = sleep_until(due), if self.token.is_some() => None,
            };
            due = Instant::now() + self.heartbeat;
            match event {
                // Rare and large: boxed, so that calls without events stay small.
                Some(event) => Box::pin(self.forward_event(context, event)).await,
                None => Box::pin(self.send_heartbeat(context)).await,
            }
        }
    }

    async fn drain_events(&mut self, context: &RequestContext<RoleServer>) {
        loop {
            let Some((_, receiver)) = &mut self.event_channel else { return };
            let Ok(event) = receiver.try_recv() else { return };
            Box::pin(self.forward_event(context, event)).await;
        }
    }

    async fn forward_event(&mut self, context: &RequestContext<RoleServer>, event: RelayEvent) {
        match event {
            RelayEvent::Progress(progress) => self.notify_progress(context, progress).await,
            RelayEvent::Log(message) => {
                if self.level.is_some_and(|level| severity(message.level) >= severity(level)) {
                    let _ = context.peer.notify_logging_message(message).await;
                }
            }
        }
    }

    async fn send_heartbeat(&mut self, context: &RequestContext<RoleServer>) {
        let message = Some("still working".to_owned());
        self.notify_progress(context, ToolProgress { done: next_step(self.last_progress), total: None, message }).await;
        self.heartbeat_ahead = true;
    }

    async fn notify_progress(&mut self, context: &RequestContext<RoleServer>, progress: ToolProgress) {
        let Some(token) = self.token.clone() else { return };
        let progress = match self.heartbeat_ahead {
            true => ensure_increase(self.last_progress, progress),
            false => progress,
        };
        self.last_progress = Some(progress.done);
        let mut params = ProgressNotificationParam::new(token, progress.done);
        params.total = progress.total;
        params.message = progress.message;
        ensure_stream(context).await;
        let _ = context.peer.notify_progress(params).await;
    }
}

/// Heartbeats count up in whole steps: 1, 2, 3, or from the last reported progress.
fn next_step(last: Option<f64>) -> f64 {
    last.unwrap_or_default().max(0.0).floor() + 1.0
}

/// Progress must increase. A tool's progress is forwarded unchanged unless a heartbeat is ahead of it; then it becomes
/// the next step, without the tool's total.
fn ensure_increase(last: Option<f64>, progress: ToolProgress) -> ToolProgress {
    match last {
        Some(reported) if progress.done <= reported => ToolProgress { done: next_step(last), total: None, ..progress },
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

async fn receive_event(event_channel: &mut Option<(RelaySender, Receiver<RelayEvent>)>) -> RelayEvent {
    match event_channel {
        // The relay holds a sender, so the channel never closes.
        Some((_, receiver)) => match receiver.recv().await {
            Some(event) => event,
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keep_alive_progress_exceeds_all_earlier_progress() {
        for (last, next) in [(None, 1.0), (Some(1.0), 2.0), (Some(50.0), 51.0), (Some(0.4), 1.0), (Some(-3.0), 1.0)] {
            assert_eq!(next_step(last), next, "{last:?}");
        }
        let said = |done, total| ToolProgress { done, total, message: Some("words".to_owned()) };
        for (last, progress, passed_on) in [
            (51.0, said(75.0, Some(100.0)), said(75.0, Some(100.0))),
            (51.0, said(51.0, Some(100.0)), said(52.0, None)),
            (1.0, said(0.7, Some(1.0)), said(2.0, None)),
        ] {
            assert_eq!(ensure_increase(Some(last), progress), passed_on, "{last}");
        }
    }
}

//! Tools that send notifications while they run.
#![expect(deprecated, reason = "logging is deprecated in the protocol, and older clients have it")]

use super::call::{FixtureCall, text_result};
use crate::questions::is_modern;
use rmcp::{
    ErrorData,
    model::{CallToolResult, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam},
    service::ServiceError,
};
use serde_json::json;
use std::time::Duration;

/// Delay between notifications, so that they arrive one by one.
const NOTIFICATION_INTERVAL: Duration = Duration::from_millis(50);

/// Reports progress if the client sent a progress token.
pub(super) async fn report(call: &FixtureCall<'_>, done: f64) -> Result<(), ErrorData> {
    if let Some(token) = call.context.meta.get_progress_token() {
        let notice = ProgressNotificationParam::new(token, done).with_total(100.0);
        call.context.peer.notify_progress(notice).await.map_err(|error| notification_error(&error))?;
    }
    Ok(())
}

pub(super) async fn progress(call: &FixtureCall<'_>) -> Result<CallToolResult, ErrorData> {
    // Also after the last: JavaScript clients miss progress that arrives together with the result.
    for done in [0.0, 50.0, 100.0] {
        report(call, done).await?;
        tokio::time::sleep(NOTIFICATION_INTERVAL).await;
    }
    Ok(text_result("Progress was reported three times."))
}

pub(super) async fn log(call: &FixtureCall<'_>) -> Result<CallToolResult, ErrorData> {
    write(call, "Tool execution started").await?;
    for line in ["Tool processing data", "Tool execution completed"] {
        tokio::time::sleep(NOTIFICATION_INTERVAL).await;
        write(call, line).await?;
    }
    Ok(text_result("The tool wrote three lines to its log."))
}

/// Waits for the cancellation of the call and counts it.
pub(super) async fn wait(call: &FixtureCall<'_>) -> Result<CallToolResult, ErrorData> {
    report(call, 1.0).await?;
    call.context.ct.cancelled().await;
    call.fixture.world.count_canceled();
    Ok(text_result("The call was cancelled."))
}

/// Sends one log line if its level is enabled, by the request or, in older sessions, by the set level.
async fn write(call: &FixtureCall<'_>, line: &str) -> Result<(), ErrorData> {
    let min_level = if is_modern(call.context) {
        call.context.meta.log_level()
    } else {
        Some(call.fixture.level().unwrap_or(LoggingLevel::Debug))
    };
    if min_level.is_some_and(|level| weight(level) <= weight(LoggingLevel::Info)) {
        let notice = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(line));
        call.context.peer.notify_logging_message(notice).await.map_err(|error| notification_error(&error))?;
    }
    Ok(())
}

fn weight(level: LoggingLevel) -> u8 {
    level as u8
}

fn notification_error(error: &ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

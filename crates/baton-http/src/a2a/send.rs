//! `SendMessage`: a message in, the task out.

use super::{Call, Params, extensions::Active, push_not_supported};
use crate::reply;
use axum::response::Response;
use baton_engine::SendCommand;
use baton_types::{ErrorCode, Message, Part, PartContent, TaskView};
use baton_wire::{
    a2a::v1::{
        ArtifactChoice, Error, ErrorKind, HistoryLength, INPUT_MODES, SendMessageRequest, SendMessageResponse, Task,
    },
    jsonrpc,
};
use std::sync::Arc;

pub(super) async fn send(call: &Call<'_>, params: Params) -> Result<Response, Error> {
    let accepted = Accepted::read(call, params)?;
    let (engine, principal) = (&call.shared.engine, &call.shared.principal);
    let view: Arc<TaskView> = if accepted.return_immediately {
        engine.send(principal, accepted.command).await.map(|sent| sent.task)
    } else {
        engine.send_and_settle(principal, accepted.command).await
    }
    .map_err(reply::from_engine)?;
    let task = Task::of(&view, accepted.history, ArtifactChoice::Include);
    let mut bytes = Vec::with_capacity(1024);
    jsonrpc::write_result(&mut bytes, call.id, &SendMessageResponse { task: Some(task), message: None });
    Ok(accepted.active.echo(reply::json_bytes(bytes)))
}

/// A checked send, blocking or streaming.
pub(super) struct Accepted {
    pub(super) command: SendCommand,
    pub(super) history: HistoryLength,
    pub(super) active: Active,
    return_immediately: bool,
}

impl Accepted {
    pub(super) fn read(call: &Call<'_>, params: Params) -> Result<Self, Error> {
        let request: SendMessageRequest<'static> = params.read()?;
        let configuration = request.configuration.as_ref();
        if configuration.is_some_and(|wanted| wanted.task_push_notification_config.is_some()) {
            return Err(push_not_supported());
        }
        let return_immediately = configuration.is_some_and(|wanted| wanted.return_immediately);
        let (message, history) = request.check()?;
        if call.shared.options.check_input_modes {
            check_input_modes(&message)?;
        }
        let active = Active::of(call, &message)?;
        let command = SendCommand {
            agent: call.agent.clone(),
            message,
            tool_execution: active.tool_execution,
            trace: trace(call),
        };
        Ok(Self { command, history, active, return_immediately })
    }
}

/// The caller's W3C trace context, when it looks like one.
fn trace(call: &Call<'_>) -> Option<Arc<str>> {
    let value = call.headers.get("traceparent")?.to_str().ok()?;
    let plausible = value.len() <= 128 && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    (plausible && !value.is_empty()).then(|| value.into())
}

/// Refuses files that no agent here reads, instead of dropping them silently.
fn check_input_modes(message: &Message) -> Result<(), Error> {
    for (index, part) in message.parts.iter().enumerate() {
        if !is_read(part) {
            let kind = part.media_type.as_deref().unwrap_or_default();
            let message = format!(
                "message.parts[{index}].mediaType: this agent reads {}, not '{kind}'",
                INPUT_MODES.join(" and ")
            );
            return Err(Error::new(ErrorKind::ContentTypeNotSupported, ErrorCode::INVALID_REQUEST, message));
        }
    }
    Ok(())
}

fn is_read(part: &Part) -> bool {
    let Some(media_type) = part.media_type.as_deref() else { return true };
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match part.content {
        PartContent::Text(_) => essence.starts_with("text/") || essence.ends_with("json"),
        PartContent::Data(_) => essence.ends_with("json"),
        PartContent::Raw(_) | PartContent::Url(_) => INPUT_MODES.contains(&essence.as_str()),
    }
}

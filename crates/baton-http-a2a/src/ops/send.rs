//! `SendMessage`: sends a message and returns the task.

use super::{
    super::{extensions::ActiveExtensions, presentation::PresentationPolicy},
    ShownTask,
};
use crate::{call::A2aCall, error_codes, span_attributes::A2aSpan as _};
use baton_engine::{EngineError, IdempotencyKey, SendCommand};
use baton_types::{
    AgentSpec, Digest, ErrorCode, FieldViolation, Json, Message, Part, PartContent, PushConfig, Violations,
    is_idempotency_key,
};
use baton_wire::a2a::v1::{Error, ErrorKind, HistoryLength, SendMessageRequest, take_traceparent};

/// Path of the push configuration in a send request.
const PUSH_CONFIG_FIELD: &str = "configuration.taskPushNotificationConfig";

pub(in super::super) async fn send(
    call: &A2aCall<'_>,
    request: SendMessageRequest<'static>,
) -> Result<ShownTask, Error> {
    let SendInput { command, history, active, return_immediately } = SendInput::read(call, request)?;
    let (engine, principal) = (&call.shared.engine, call.principal());
    let sent = if return_immediately {
        engine.send(principal, command).await.map(|sent| sent.task)
    } else {
        engine.send_and_settle(principal, command).await
    };
    let view = sent.map_err(|error| send_error(call, error))?;
    call.span.set_task(&view);
    let policy = PresentationPolicy::new(call, &active);
    Ok(ShownTask { view, history, active, policy })
}

/// Error reply, with field names relative to the send request.
pub(super) fn send_error(call: &A2aCall<'_>, error: EngineError) -> Error {
    let mut error = call.refuse(error);
    if error.code == error_codes::PUSH_URL_REFUSED {
        for violation in &mut error.violations {
            violation.field = format!("{PUSH_CONFIG_FIELD}.{}", violation.field);
        }
        error.message = format!("{PUSH_CONFIG_FIELD}.{}", error.message);
    }
    error
}

/// A validated send request, blocking or streaming.
pub(super) struct SendInput {
    pub(super) command: SendCommand,
    pub(super) history: HistoryLength,
    pub(super) active: ActiveExtensions,
    return_immediately: bool,
}

impl SendInput {
    pub(super) fn read(call: &A2aCall<'_>, mut request: SendMessageRequest<'static>) -> Result<Self, Error> {
        call.check_may_call()?;
        call.check_tenant(request.tenant.as_deref())?;
        let active = ActiveExtensions::from_call(call);
        active.check_required(call)?;
        let configuration = request.configuration.as_mut();
        let push = configuration.and_then(|configuration| configuration.task_push_notification_config.take());
        let return_immediately =
            request.configuration.as_ref().is_some_and(|configuration| configuration.return_immediately);
        let (mut message, history) = request.check()?;
        // The trace context applies to this delivery only: it is neither stored nor part of the idempotency digest.
        let parent = take_traceparent(&mut message.metadata);
        let trace = call.span.adopt_parent(parent);
        call.span.set_message_id(message.id.as_str());
        check_input_modes(&*call.spec()?, &message)?;
        let push = match push {
            None => None,
            Some(config) => {
                call.check_push()?;
                let mut violations = Violations::default();
                let config = config.check(PUSH_CONFIG_FIELD, call.dialect, &mut violations);
                Some(violations.into_result(config).map_err(Error::invalid_params)?)
            }
        };
        let mut command = SendCommand::new(call.agent.clone(), message);
        command.tool_execution = active.tool_execution(&command.message)?;
        command.if_generation = active.if_generation(&command.message)?;
        command.idempotency = idempotency(call, &active, &command.message, push.as_ref())?;
        command.push = push;
        command.trace = trace.map(|context| context.to_string().into());
        command.depth = call.header("baton-handoff-depth").and_then(|depth| depth.parse().ok()).unwrap_or_default();
        Ok(Self { command, history, active, return_immediately })
    }
}

/// Idempotency key from the `Idempotency-Key` header or the extension.
fn idempotency(
    call: &A2aCall<'_>,
    active: &ActiveExtensions,
    message: &Message,
    push: Option<&PushConfig>,
) -> Result<Option<IdempotencyKey>, Error> {
    let key = match call.headers.get("idempotency-key").map(|value| value.to_str().map(str::trim)) {
        None | Some(Ok("")) => active.idempotency_key(message)?,
        Some(Ok(key)) if is_idempotency_key(key) => Some(key.to_owned()),
        Some(_) => {
            let description = "must be 1 to 255 visible ASCII characters".to_owned();
            let violation = FieldViolation { field: "Idempotency-Key".to_owned(), description };
            return Err(Error::invalid_params(violation.into()));
        }
    };
    let Some(key) = key else { return Ok(None) };
    // A client may repeat a request with a new message id; only the content is compared.
    let content = Message { id: "".into(), ..message.clone() };
    let request = Json::from_serializable(&(content, push)).map_err(|error| {
        Error::new(ErrorKind::Internal, ErrorCode::INTERNAL, format!("the request could not be digested: {error}"))
    })?;
    Ok(Some(IdempotencyKey { key, request: Digest::compute(request.as_str().as_bytes()) }))
}

/// Rejects files that the agent does not read, instead of dropping them silently.
fn check_input_modes(agent: &AgentSpec, message: &Message) -> Result<(), Error> {
    for (index, part) in message.parts.iter().enumerate() {
        if !is_accepted_part(agent, part) {
            let kind = part.media_type.as_deref().unwrap_or_default();
            let message = format!(
                "message.parts[{index}].mediaType: this agent reads {}, not '{kind}'",
                agent.input_modes.join(", ")
            );
            return Err(Error::new(ErrorKind::ContentTypeNotSupported, ErrorCode::INVALID_REQUEST, message));
        }
    }
    Ok(())
}

fn is_accepted_part(agent: &AgentSpec, part: &Part) -> bool {
    let Some(media_type) = part.media_type.as_deref() else { return true };
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let usual = match part.content {
        PartContent::Text(_) => essence.starts_with("text/") || essence.ends_with("json"),
        PartContent::Data(_) => essence.ends_with("json"),
        PartContent::Raw(_) | PartContent::Url(_) => false,
    };
    usual || agent.input_modes.iter().any(|mode| covers(mode, &essence))
}

/// Whether a mode such as `text/plain`, `image/*` or `*/*` covers a media type.
fn covers(mode: &str, essence: &str) -> bool {
    match mode.strip_suffix('*') {
        Some("*/") => true,
        Some(family) => essence.starts_with(&family.to_ascii_lowercase()),
        None => mode.eq_ignore_ascii_case(essence),
    }
}

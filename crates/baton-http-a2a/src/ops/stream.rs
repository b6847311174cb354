//! `SendStreamingMessage`: sends a message and streams the task until its turn ends.

use super::{
    follow::{StreamStart, TaskStream},
    send::{SendInput, send_error},
};
use crate::call::A2aCall;
use baton_wire::a2a::v1::{Error, SendMessageRequest};

pub(in super::super) async fn stream(
    call: &A2aCall<'_>,
    request: SendMessageRequest<'static>,
) -> Result<TaskStream, Error> {
    call.check_may_call()?;
    call.check_streaming()?;
    let accepted = SendInput::read(call, request)?;
    let permit = TaskStream::permit(call)?;
    let may_reply_directly = call.spec()?.control_tools.reply_message;
    let followed = call.shared.engine.send_and_follow(call.principal(), accepted.command).await;
    let subscription = followed.map_err(|error| send_error(call, error))?;
    let beginning = StreamStart::Sent { history: accepted.history, may_reply_directly };
    Ok(TaskStream::new(call, subscription, beginning, &accepted.active, permit))
}

//! `SendStreamingMessage`: sends a message and streams the task until its turn ends.

use super::{
    follow::{Beginning, Following},
    send::{Accepted, refused},
};
use crate::a2a::call::Call;
use baton_wire::a2a::v1::{Error, SendMessageRequest};

pub(in super::super) async fn stream(
    call: &Call<'_>,
    request: SendMessageRequest<'static>,
) -> Result<Following, Error> {
    call.check_may_call()?;
    call.check_streaming()?;
    let accepted = Accepted::read(call, request)?;
    let permit = Following::permit(call)?;
    let may_reply_directly = call.spec()?.control_tools.reply_message;
    let followed = call.shared.engine.send_and_follow(call.principal(), accepted.command).await;
    let subscription = followed.map_err(|error| refused(call, error))?;
    let beginning = Beginning::Sent { history: accepted.history, may_reply_directly };
    Ok(Following::new(call, subscription, beginning, &accepted.active, permit))
}

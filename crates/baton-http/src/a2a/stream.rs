//! `SendStreamingMessage`: a message in, everything that follows out, until the turn ends.

use super::{
    Call, Params,
    send::Accepted,
    sse::{self, Beginning},
};
use crate::reply;
use axum::response::Response;
use baton_wire::a2a::v1::Error;

pub(super) async fn stream(call: &Call<'_>, params: Params) -> Result<Response, Error> {
    let accepted = Accepted::read(call, params)?;
    let permit = sse::permit(call)?;
    let followed = call.shared.engine.send_and_follow(&call.shared.principal, accepted.command).await;
    let subscription = followed.map_err(reply::from_engine)?;
    let response = sse::response(call, subscription, Beginning::Fresh { history: accepted.history }, permit);
    Ok(accepted.active.echo(response))
}

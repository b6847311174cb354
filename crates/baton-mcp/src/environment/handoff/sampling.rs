//! Handoff channel for clients of an older protocol with sampling: the request is sent on the stream of the call, which
//! waits.

use super::{
    DeliveryChannel, HandoffDelivery, reply,
    reply::{ClientAnswer, ClientHandoffReply},
    request,
};
use crate::{
    environment::{relay::Relay, rounds::RoundsOutcome},
    serve::ensure_stream,
};
use baton_ports::{BoxFuture, HandoffTicket};
use baton_types::HandoffChannel;
use rmcp::{
    ErrorData, ServiceError,
    model::{CallToolResult, ClientResult, CreateMessageRequest, ServerRequest},
};
use tokio::time::{error::Elapsed, timeout};

pub(super) struct SamplingChannel;

impl DeliveryChannel for SamplingChannel {
    fn hand_over<'a>(
        &'a self,
        work: &'a HandoffDelivery<'a>,
        relay: &'a mut Relay,
    ) -> BoxFuture<'a, Result<RoundsOutcome<CallToolResult>, ErrorData>> {
        Box::pin(async move {
            let HandoffTicket { id, agent_uri, depth, deadline } = match work.begin(HandoffChannel::Sampling).await {
                Ok(ticket) => ticket,
                Err(refused) => return Ok(RoundsOutcome::Done(refused)),
            };
            let context = work.call.context;
            let params = request::params(&work.request, &id, &agent_uri, depth);
            // The library rejects a `CreateMessageResult` without a model, so the answer is parsed here.
            let request = ServerRequest::CreateMessageRequest(CreateMessageRequest::new(params));
            let response = async move {
                ensure_stream(context).await;
                Box::pin(context.peer.send_request(request)).await
            };
            let response = timeout(work.remaining(deadline), response);
            match relay.run_with_events(context, response).await {
                Ok(answered) => {
                    work.process_answer(relay, &id, parse_answer(answered, &work.agent_names(&agent_uri))).await
                }
                Err(cancelled) => {
                    work.record_outcome(&id, ClientHandoffReply::Failed("the call was cancelled".to_owned())).await;
                    Err(cancelled)
                }
            }
        })
    }
}

fn parse_answer(answered: Result<Result<ClientResult, ServiceError>, Elapsed>, names: &[String]) -> ClientAnswer {
    let failure = match answered {
        Ok(Ok(result)) => match serde_json::to_value(result) {
            Ok(result) => return reply::parse_answer(&result, names),
            Err(_) => "the client's answer cannot be read".to_owned(),
        },
        Err(_) => "the client did not answer before the handoff's deadline".to_owned(),
        Ok(Err(ServiceError::McpError(error))) => {
            format!("the client did not perform the handoff: {}", reply::display_line(&error.message))
        }
        Ok(Err(_)) => "the client disconnected before it answered".to_owned(),
    };
    ClientAnswer::Reply(ClientHandoffReply::Failed(failure))
}

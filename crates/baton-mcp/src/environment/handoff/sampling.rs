//! Handoff channel for clients of an older protocol with sampling: the request is sent on the stream of the call, which
//! waits.

use super::{
    Channel, Work, reply,
    reply::{ClientAnswer, Reply},
    request,
};
use crate::{
    environment::{relay::Relay, rounds::Ended},
    serve::on_stream,
};
use baton_ports::{BoxFuture, HandoffTicket};
use baton_types::HandoffChannel;
use rmcp::{
    ErrorData, ServiceError,
    model::{CallToolResult, ClientResult, CreateMessageRequest, ServerRequest},
};
use tokio::time::{error::Elapsed, timeout};

pub(super) struct Sampling;

impl Channel for Sampling {
    fn hand_over<'a>(
        &'a self,
        work: &'a Work<'a>,
        relay: &'a mut Relay,
    ) -> BoxFuture<'a, Result<Ended<CallToolResult>, ErrorData>> {
        Box::pin(async move {
            let HandoffTicket { id, agent_uri, depth, deadline } = match work.begin(HandoffChannel::Sampling).await {
                Ok(ticket) => ticket,
                Err(refused) => return Ok(Ended::Done(refused)),
            };
            let context = work.call.context;
            let params = request::params(&work.ask, &id, &agent_uri, depth);
            // The library rejects a `CreateMessageResult` without a model, so the answer is parsed here.
            let request = ServerRequest::CreateMessageRequest(CreateMessageRequest::new(params));
            let asked = async move {
                on_stream(context).await;
                Box::pin(context.peer.send_request(request)).await
            };
            let asked = timeout(work.remaining(deadline), asked);
            match relay.during(context, asked).await {
                Ok(answered) => work.take(relay, &id, read(answered, &work.agent_names(&agent_uri))).await,
                Err(cancelled) => {
                    work.settle(&id, Reply::Failed("the call was cancelled".to_owned())).await;
                    Err(cancelled)
                }
            }
        })
    }
}

fn read(answered: Result<Result<ClientResult, ServiceError>, Elapsed>, names: &[String]) -> ClientAnswer {
    let failure = match answered {
        Ok(Ok(result)) => match serde_json::to_value(result) {
            Ok(result) => return reply::read(&result, names),
            Err(_) => "the client's answer cannot be read".to_owned(),
        },
        Err(_) => "the client did not answer before the handoff's deadline".to_owned(),
        Ok(Err(ServiceError::McpError(error))) => {
            format!("the client did not hand the work over: {}", reply::shown(&error.message))
        }
        Ok(Err(_)) => "the client went away before it answered".to_owned(),
    };
    ClientAnswer::Reply(Reply::Failed(failure))
}

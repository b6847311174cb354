//! Clients of an older protocol that sample: they are asked on the stream of their call, which waits.

use super::{Channel, Work, reply, reply::Reply, request};
use crate::{
    environment::{relay::Relay, rounds::Ended},
    serve::on_stream,
};
use baton_ports::{BoxFuture, HandoffTicket};
use baton_types::HandoffChannel;
use rmcp::{
    ErrorData, ServiceError,
    model::{CallToolResult, CreateMessageResult},
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
            let asked = async move {
                on_stream(context).await;
                Box::pin(context.peer.create_message(params)).await
            };
            let asked = timeout(work.remaining(deadline), asked);
            match relay.during(context, asked).await {
                Ok(answered) => Ok(Ended::Done(work.settle(&id, read(answered)).await)),
                Err(cancelled) => {
                    work.settle(&id, Reply::Failed("the call was cancelled".to_owned())).await;
                    Err(cancelled)
                }
            }
        })
    }
}

fn read(answered: Result<Result<CreateMessageResult, ServiceError>, Elapsed>) -> Reply {
    let unreadable = || Reply::Failed("the client's answer cannot be read".to_owned());
    match answered {
        Err(_) => Reply::Failed("the client did not answer before the handoff's deadline".to_owned()),
        Ok(Err(ServiceError::McpError(error))) => {
            Reply::Failed(format!("the client did not hand the work over: {}", reply::shown(&error.message)))
        }
        Ok(Err(ServiceError::UnexpectedResponse)) => unreadable(),
        Ok(Err(_)) => Reply::Failed("the client went away before it answered".to_owned()),
        Ok(Ok(result)) => serde_json::to_value(result).map_or_else(|_| unreadable(), |result| reply::read(&result)),
    }
}

//! Handoff channel for all other clients: Baton performs the handoff with its own credentials.

use super::{Channel, Work, results};
use crate::{
    environment::{relay::Relay, rounds::Ended},
    work,
};
use baton_ports::BoxFuture;
use rmcp::{ErrorData, model::CallToolResult};

pub(super) struct Direct;

impl Channel for Direct {
    /// Cancelling the call drops the work, which stops it.
    fn hand_over<'a>(
        &'a self,
        work: &'a Work<'a>,
        relay: &'a mut Relay,
    ) -> BoxFuture<'a, Result<Ended<CallToolResult>, ErrorData>> {
        Box::pin(async move {
            let handed = work.desk().hand_over(&work.call.caller.principal, work.ask.clone());
            let result = match relay.during(work.call.context, handed).await? {
                Ok(reply) => results::of_task(&work.ask.agent_uri, reply),
                Err(error) => work::refused(error.code, &error.detail),
            };
            Ok(Ended::Done(result))
        })
    }
}

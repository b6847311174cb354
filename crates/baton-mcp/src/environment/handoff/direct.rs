//! Handoff channel for all other clients: Baton performs the handoff with its own credentials.

use super::{DeliveryChannel, HandoffDelivery, results};
use crate::{
    agent_invocation,
    environment::{relay::Relay, rounds::RoundsOutcome},
};
use baton_ports::BoxFuture;
use rmcp::{ErrorData, model::CallToolResult};

pub(super) struct DirectChannel;

impl DeliveryChannel for DirectChannel {
    /// Cancelling the call drops the work, which stops it.
    fn hand_over<'a>(
        &'a self,
        work: &'a HandoffDelivery<'a>,
        relay: &'a mut Relay,
    ) -> BoxFuture<'a, Result<RoundsOutcome<CallToolResult>, ErrorData>> {
        Box::pin(async move {
            let handed = work.service().hand_over(&work.call.caller.principal, work.request.clone());
            let result = match relay.run_with_events(work.call.context, handed).await? {
                Ok(reply) => results::task_result(&work.request.agent_uri, reply),
                Err(error) => agent_invocation::error_result(error.code, &error.detail),
            };
            Ok(RoundsOutcome::Done(result))
        })
    }
}

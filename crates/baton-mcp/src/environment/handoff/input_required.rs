//! Handoff channel for clients of the newest protocol with sampling: the request is an unfinished result, and the
//! client calls again with the agent's answer. No state is held in between; the handoff stays pending in the journal.

use super::{DeliveryChannel, HandoffDelivery, reply, reply::ClientHandoffReply, request};
use crate::environment::{
    client_requests::missing_capabilities,
    relay::Relay,
    rounds::{RoundState, RoundsOutcome},
};
use baton_ports::{BoxFuture, HandoffTicket};
use baton_types::{HandoffChannel, HandoffId, Timestamp};
use rmcp::{
    ErrorData,
    model::{CallToolResult, CreateMessageRequest, InputRequest, InputRequests, InputRequiredResult, InputResponses},
};
use serde::{Deserialize, Serialize};

/// Key of the sampling request that names the agent.
const HANDOFF_REQUEST_KEY: &str = "handoff";

/// A recorded handoff delegated to the client; the client carries it sealed, so it cannot be changed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::environment) struct DelegatedHandoff {
    id: HandoffId,
    agent_uri: String,
    depth: u32,
    deadline: Timestamp,
}

pub(super) struct InputRequiredChannel;

impl DeliveryChannel for InputRequiredChannel {
    fn hand_over<'a>(
        &'a self,
        work: &'a HandoffDelivery<'a>,
        _: &'a mut Relay,
    ) -> BoxFuture<'a, Result<RoundsOutcome<CallToolResult>, ErrorData>> {
        Box::pin(async move {
            match work.begin(HandoffChannel::InputRequired).await {
                Ok(HandoffTicket { id, agent_uri, depth, deadline }) => work
                    .ask_client(DelegatedHandoff { id, agent_uri, depth, deadline })
                    .map(RoundsOutcome::InputRequired),
                Err(refused) => Ok(RoundsOutcome::Done(refused)),
            }
        })
    }
}

impl InputRequiredChannel {
    /// Accepts the client's answer once: checked by the sealed state within this process, and by the record after a
    /// restart.
    pub(super) async fn resume(
        &self,
        mut work: HandoffDelivery<'_>,
        relay: &mut Relay,
        (state, begun): (&str, &DelegatedHandoff),
        responses: &InputResponses,
    ) -> Result<RoundsOutcome<CallToolResult>, ErrorData> {
        let Some(response) = responses.get(HANDOFF_REQUEST_KEY) else { return work.ask_again(begun).await };
        work.rounds.mark_used(state)?;
        // A later round may omit the handoff depth.
        work.request.depth = work.request.depth.max(begun.depth.saturating_sub(1));
        let answer = reply::parse_answer(response, &work.agent_names(&begun.agent_uri));
        work.process_answer(relay, &begun.id, answer).await
    }
}

impl HandoffDelivery<'_> {
    fn ask_client(&self, begun: DelegatedHandoff) -> Result<InputRequiredResult, ErrorData> {
        let params = request::params(&self.request, &begun.id, &begun.agent_uri, begun.depth);
        let request = InputRequest::CreateMessage(CreateMessageRequest::new(params));
        // The record's deadline decides, so the seal outlives it: a late client gets the record's error, not one of the
        // seal.
        let at_least = self.remaining(begun.deadline) * 2;
        let round = RoundState { approved: false, state: None, requests: InputRequests::new(), handoff: Some(begun) };
        let sealed = self.rounds.seal_state(&round, at_least)?;
        Ok(InputRequiredResult::new(
            Some(InputRequests::from([(HANDOFF_REQUEST_KEY.to_owned(), request)])),
            Some(sealed),
        ))
    }

    /// Repeats the request until the deadline.
    async fn ask_again(&self, begun: &DelegatedHandoff) -> Result<RoundsOutcome<CallToolResult>, ErrorData> {
        if self.remaining(begun.deadline).is_zero() {
            let late = ClientHandoffReply::Failed("its deadline passed before the client answered".to_owned());
            return Ok(RoundsOutcome::Done(self.record_outcome(&begun.id, late).await));
        }
        let result = self.ask_client(begun.clone())?;
        let requests = result.input_requests.as_ref();
        match requests.and_then(|requests| missing_capabilities(requests, self.rounds.capabilities)) {
            Some(required) => Err(ErrorData::missing_required_client_capability(required)),
            None => Ok(RoundsOutcome::InputRequired(result)),
        }
    }
}

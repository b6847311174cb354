//! `handoff`: work that the client's model gives to another agent.
//!
//! The port `HandoffService` authorizes a handoff before anything is sent, and every handoff is recorded. Delivery
//! depends on the client of the request: one [`DeliveryChannel`] for each kind of client, selected in [`choose`]. MCP
//! deprecates sampling; without it every handoff is direct.

mod choose;
mod direct;
mod input_required;
mod reply;
mod request;
mod results;
mod sampling;
mod tool;

pub(super) use input_required::DelegatedHandoff;
pub(super) use tool::{description, spec, tool_definition};

use super::{
    call::EnvironmentCall,
    relay::Relay,
    rounds::{InputRounds, RoundsOutcome},
};
use crate::agent_invocation;
use baton_ports::{BoxFuture, HandoffOutcome, HandoffRequest, HandoffService, HandoffTicket};
use baton_rules::{Access, check_access};
use baton_types::{ChannelReason, ErrorCode, HandoffChannel, HandoffId, ToolExecution};
use choose::{ClientFacts, choose_channel, declares_handoff};
use direct::DirectChannel;
use input_required::InputRequiredChannel;
use reply::{ClientAnswer, ClientHandoffReply};
use rmcp::{
    ErrorData,
    model::{CallToolResult, InputResponses},
};
use sampling::SamplingChannel;
use std::time::Duration;

/// Delivery channel to another agent.
trait DeliveryChannel: Send + Sync {
    /// Delivers the work and returns a result for the client's model, or a request to the client.
    fn hand_over<'a>(
        &'a self,
        work: &'a HandoffDelivery<'a>,
        relay: &'a mut Relay,
    ) -> BoxFuture<'a, Result<RoundsOutcome<CallToolResult>, ErrorData>>;
}

/// A handoff to be delivered.
struct HandoffDelivery<'a> {
    call: &'a EnvironmentCall<'a>,
    rounds: &'a InputRounds<'a>,
    request: HandoffRequest,
}

impl EnvironmentCall<'_> {
    /// Performs a handoff on the channel that fits the client.
    pub(super) async fn hand_over(
        &self,
        rounds: &InputRounds<'_>,
        relay: &mut Relay,
    ) -> Result<RoundsOutcome<CallToolResult>, ErrorData> {
        match HandoffDelivery::from_call(self, rounds).and_then(|work| work.check_scope().map(|()| work)) {
            Ok(mut work) => {
                let (channel, reason) = self.choose_channel();
                work.request.reason = Some(reason);
                let channel: &dyn DeliveryChannel = match channel {
                    HandoffChannel::InputRequired => &InputRequiredChannel,
                    HandoffChannel::Sampling => &SamplingChannel,
                    HandoffChannel::Direct => &DirectChannel,
                };
                channel.hand_over(&work, relay).await
            }
            Err(faults) => Ok(RoundsOutcome::Done(*faults)),
        }
    }

    /// Continues a handoff that was delegated to the client, with the client's answer.
    pub(super) async fn resume_handoff(
        &self,
        rounds: &InputRounds<'_>,
        relay: &mut Relay,
        (state, begun): (&str, &DelegatedHandoff),
        responses: &InputResponses,
    ) -> Result<RoundsOutcome<CallToolResult>, ErrorData> {
        match HandoffDelivery::from_call(self, rounds) {
            Ok(work) => InputRequiredChannel.resume(work, relay, (state, begun), responses).await,
            Err(faults) => Ok(RoundsOutcome::Done(*faults)),
        }
    }

    /// Uses only the capabilities declared in this request, or at the start of its session.
    fn choose_channel(&self) -> (HandoffChannel, ChannelReason) {
        choose_channel(ClientFacts {
            is_modern: self.caller.modern,
            samples: self.capabilities.sampling.is_some(),
            hands_over: declares_handoff(&self.capabilities),
            caller_runs_tools: self.view.spec.tool_execution == ToolExecution::Caller,
            answers_from_model: self.environment.session.answers_from_model(),
        })
    }
}

impl<'a> HandoffDelivery<'a> {
    /// The error describes invalid arguments.
    fn from_call(call: &'a EnvironmentCall<'a>, rounds: &'a InputRounds<'a>) -> Result<Self, Box<CallToolResult>> {
        let arguments = tool::parse_arguments(&call.arguments).map_err(|faults| {
            let detail = format!("'handoff' did not run, because its arguments are invalid: {faults}.");
            Box::new(agent_invocation::error_result(ErrorCode::INVALID_REQUEST, &detail))
        })?;
        let ask = HandoffRequest {
            from: call.environment.agent.name.clone(),
            agent_uri: arguments.agent_uri,
            message: arguments.message,
            context: arguments.context_id.map(Into::into),
            // Callers send the depth that a task created by the call would have; the handoff adds its own level.
            depth: call.caller.depth.saturating_sub(1),
            trace: call.caller.trace.clone(),
            task: None,
            call: None,
            autonomous: false,
            reason: None,
        };
        Ok(Self { call, rounds, request: ask })
    }

    /// The client chooses the receiver here: agents named in the definition are included in the caller's permission,
    /// all others require permission to call.
    fn check_scope(&self) -> Result<(), Box<CallToolResult>> {
        let (from, agents) = (&self.call.view.spec, self.call.environment.agent.ports.agents.listings());
        let to = baton_rules::resolve_handoff_target(from, agents.iter().map(AsRef::as_ref), &self.request.agent_uri);
        if from.handoffs.iter().any(|target| target.agent == to) {
            return Ok(());
        }
        let allowed = check_access(&self.call.caller.principal, Access::Call, Some(&to));
        allowed.map_err(|missing| Box::new(agent_invocation::scope_error(self.call.context, &missing)))
    }

    fn service(&self) -> &dyn HandoffService {
        &*self.call.environment.agent.ports.handoffs
    }

    /// Records the handoff as in progress; the error is the reason for a refusal.
    async fn begin(&self, channel: HandoffChannel) -> Result<HandoffTicket, CallToolResult> {
        let begun = self.service().begin(&self.call.caller.principal, self.request.clone(), channel).await;
        let mut ticket = begun.map_err(|error| agent_invocation::error_result(error.code, &error.detail))?;
        ticket.agent_uri = self.address(ticket.agent_uri);
        Ok(ticket)
    }

    /// The receiver's address, resolved so that a remote client can use it.
    fn address(&self, uri: String) -> String {
        if uri.contains("://") {
            return uri;
        }
        let Some(base) = agent_invocation::base_url(self.call.context) else { return uri };
        let agents = self.call.environment.agent.ports.agents.listings();
        let name = baton_rules::resolve_handoff_target(&self.call.view.spec, agents.iter().map(AsRef::as_ref), &uri);
        format!("{base}/agents/{name}")
    }

    /// Time left until the deadline.
    fn remaining(&self, deadline: baton_types::Timestamp) -> Duration {
        self.call.environment.agent.ports.clock.now().until(deadline)
    }

    /// Records the outcome before it is returned.
    async fn record_outcome(&self, id: &HandoffId, reply: ClientHandoffReply) -> CallToolResult {
        let end = match &reply {
            ClientHandoffReply::Answer { response, task, context } => {
                HandoffOutcome::Completed { response: response.clone(), task: task.clone(), context: context.clone() }
            }
            ClientHandoffReply::Failed(reason) => HandoffOutcome::Failed(reason.clone()),
        };
        match self.service().end(&self.call.caller.principal, id, end).await {
            Ok(true) => self.result(reply),
            // The record was closed before: a failure is still reported, a late answer is rejected.
            Ok(false) => match reply {
                ClientHandoffReply::Failed(reason) => results::failed_result(&self.request.agent_uri, &reason),
                ClientHandoffReply::Answer { .. } => results::closed_result(id),
            },
            Err(error) => agent_invocation::error_result(error.code, &error.detail),
        }
    }

    fn result(&self, reply: ClientHandoffReply) -> CallToolResult {
        let agent_uri = &self.request.agent_uri;
        match reply {
            ClientHandoffReply::Answer { response, task, context } => {
                let context = context.or_else(|| self.request.context.as_ref().map(ToString::to_string));
                results::answer(agent_uri, response, task, context, "client")
            }
            ClientHandoffReply::Failed(reason) => results::failed_result(agent_uri, &reason),
        }
    }

    /// Processes the client's answer: returns it as the result, or falls back to the direct channel if a model
    /// answered.
    async fn process_answer(
        &self,
        relay: &mut Relay,
        id: &HandoffId,
        answer: ClientAnswer,
    ) -> Result<RoundsOutcome<CallToolResult>, ErrorData> {
        match answer {
            ClientAnswer::Reply(reply) => Ok(RoundsOutcome::Done(self.record_outcome(id, reply).await)),
            ClientAnswer::OtherModel(model) => self.fall_back_to_direct(relay, id, &model).await,
        }
    }

    /// Falls back to a direct handoff because a model answered the sampling request. The model's answer is discarded.
    async fn fall_back_to_direct(
        &self,
        relay: &mut Relay,
        id: &HandoffId,
        model: &str,
    ) -> Result<RoundsOutcome<CallToolResult>, ErrorData> {
        tracing::info!(handoff = %id, model, "a client answered a handoff with a model; Baton performs the handoff itself");
        if !self.call.caller.modern {
            self.call.environment.session.note_model_answer();
        }
        if let Err(refused) = self.check_scope() {
            self.record_outcome(id, ClientHandoffReply::Failed("the caller may no longer call the agent".to_owned()))
                .await;
            return Ok(RoundsOutcome::Done(*refused));
        }
        let reclaimed = self.service().reclaim(&self.call.caller.principal, id, self.request.clone(), model);
        Ok(RoundsOutcome::Done(match relay.run_with_events(self.call.context, reclaimed).await? {
            Ok(Some(reply)) => results::task_result(&self.request.agent_uri, reply),
            Ok(None) => results::closed_result(id),
            Err(error) => agent_invocation::error_result(error.code, &error.detail),
        }))
    }

    /// Accepted model names for an answer: the name used by the caller, the agent's name, and its address.
    fn agent_names(&self, address: &str) -> [String; 3] {
        let agents = self.call.environment.agent.ports.agents.listings();
        let agents = agents.iter().map(AsRef::as_ref);
        let name = baton_rules::resolve_handoff_target(&self.call.view.spec, agents, &self.request.agent_uri);
        [self.request.agent_uri.clone(), name.to_string(), address.to_owned()]
    }
}

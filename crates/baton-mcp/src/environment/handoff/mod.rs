//! `handoff`: work that the client's model gives to another agent.
//!
//! The [`HandoffDesk`] authorizes a handoff before anything is sent, and every handoff is recorded. Delivery depends on
//! the client of the request: one [`Channel`] for each kind of client, selected in [`choose`]. MCP deprecates sampling;
//! without it every handoff is direct.

mod choose;
mod direct;
mod input_required;
mod reply;
mod request;
mod results;
mod sampling;
mod tool;

pub(super) use input_required::Begun;
pub(super) use tool::{described, listed, spec};

use super::{
    call::Call,
    relay::Relay,
    rounds::{Ended, Rounds},
};
use crate::work;
use baton_ports::{BoxFuture, HandoffOutcome, HandoffRequest, HandoffService, HandoffTicket};
use baton_rules::{Access, check_access};
use baton_types::{ChannelReason, ErrorCode, HandoffChannel, HandoffId, ToolExecution};
use choose::{ClientFacts, choose, declares_handoff};
use direct::Direct;
use input_required::InputRequired;
use reply::{ClientAnswer, Reply};
use rmcp::{
    ErrorData,
    model::{CallToolResult, InputResponses},
};
use sampling::Sampling;
use std::time::Duration;

/// Delivery channel to another agent.
trait Channel: Send + Sync {
    /// Delivers the work and returns a result for the client's model, or a request to the client.
    fn hand_over<'a>(
        &'a self,
        work: &'a Work<'a>,
        relay: &'a mut Relay,
    ) -> BoxFuture<'a, Result<Ended<CallToolResult>, ErrorData>>;
}

/// A handoff to be delivered.
struct Work<'a> {
    call: &'a Call<'a>,
    rounds: &'a Rounds<'a>,
    ask: HandoffRequest,
}

impl Call<'_> {
    /// Performs a handoff on the channel that fits the client.
    pub(super) async fn hand_over(
        &self,
        rounds: &Rounds<'_>,
        relay: &mut Relay,
    ) -> Result<Ended<CallToolResult>, ErrorData> {
        match Work::of(self, rounds).and_then(|work| work.within_scope().map(|()| work)) {
            Ok(mut work) => {
                let (channel, reason) = self.choose_channel();
                work.ask.reason = Some(reason);
                let channel: &dyn Channel = match channel {
                    HandoffChannel::InputRequired => &InputRequired,
                    HandoffChannel::Sampling => &Sampling,
                    HandoffChannel::Direct => &Direct,
                };
                channel.hand_over(&work, relay).await
            }
            Err(faults) => Ok(Ended::Done(*faults)),
        }
    }

    /// Continues a handoff that was delegated to the client, with the client's answer.
    pub(super) async fn handed_back(
        &self,
        rounds: &Rounds<'_>,
        relay: &mut Relay,
        (state, begun): (&str, &Begun),
        responses: &InputResponses,
    ) -> Result<Ended<CallToolResult>, ErrorData> {
        match Work::of(self, rounds) {
            Ok(work) => InputRequired.came_back(work, relay, (state, begun), responses).await,
            Err(faults) => Ok(Ended::Done(*faults)),
        }
    }

    /// Uses only the capabilities declared in this request, or at the start of its session.
    fn choose_channel(&self) -> (HandoffChannel, ChannelReason) {
        choose(ClientFacts {
            is_modern: self.caller.modern,
            samples: self.capabilities.sampling.is_some(),
            hands_over: declares_handoff(&self.capabilities),
            caller_runs_tools: self.view.spec.tool_execution == ToolExecution::Caller,
            answers_from_model: self.environment.session.answers_from_model(),
        })
    }
}

impl<'a> Work<'a> {
    /// The error describes invalid arguments.
    fn of(call: &'a Call<'a>, rounds: &'a Rounds<'a>) -> Result<Self, Box<CallToolResult>> {
        let arguments = tool::read(&call.arguments).map_err(|faults| {
            let detail = format!("'handoff' did not run, because its arguments do not fit: {}.", faults.join("; "));
            Box::new(work::refused(ErrorCode::INVALID_REQUEST, &detail))
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
        Ok(Self { call, rounds, ask })
    }

    /// The client chooses the receiver here: agents named in the definition are included in the caller's permission,
    /// all others require permission to call.
    fn within_scope(&self) -> Result<(), Box<CallToolResult>> {
        let (from, agents) = (&self.call.view.spec, self.call.environment.agent.ports.agents.listings());
        let to = baton_rules::resolve_handoff_target(from, agents.iter().map(AsRef::as_ref), &self.ask.agent_uri);
        if from.handoffs.iter().any(|target| target.agent == to) {
            return Ok(());
        }
        let allowed = check_access(&self.call.caller.principal, Access::Call, Some(&to));
        allowed.map_err(|missing| Box::new(work::scope_refused(self.call.context, &missing)))
    }

    fn desk(&self) -> &dyn HandoffService {
        &*self.call.environment.agent.ports.handoffs
    }

    /// Records the handoff as in progress; the error is the reason for a refusal.
    async fn begin(&self, channel: HandoffChannel) -> Result<HandoffTicket, CallToolResult> {
        let begun = self.desk().begin(&self.call.caller.principal, self.ask.clone(), channel).await;
        let mut ticket = begun.map_err(|error| work::refused(error.code, &error.detail))?;
        ticket.agent_uri = self.address(ticket.agent_uri);
        Ok(ticket)
    }

    /// The receiver's address, resolved so that a remote client can use it.
    fn address(&self, uri: String) -> String {
        if uri.contains("://") {
            return uri;
        }
        let Some(base) = work::served_at(self.call.context) else { return uri };
        let agents = self.call.environment.agent.ports.agents.listings();
        let name = baton_rules::resolve_handoff_target(&self.call.view.spec, agents.iter().map(AsRef::as_ref), &uri);
        format!("{base}/agents/{name}")
    }

    /// Time left until the deadline.
    fn remaining(&self, deadline: baton_types::Timestamp) -> Duration {
        self.call.environment.agent.ports.clock.now().until(deadline)
    }

    /// Records the outcome before it is returned.
    async fn settle(&self, id: &HandoffId, reply: Reply) -> CallToolResult {
        let end = match &reply {
            Reply::Answer { response, task, context } => {
                HandoffOutcome::Completed { response: response.clone(), task: task.clone(), context: context.clone() }
            }
            Reply::Failed(reason) => HandoffOutcome::Failed(reason.clone()),
        };
        match self.desk().end(&self.call.caller.principal, id, end).await {
            Ok(true) => self.result(reply),
            // The record was closed before: a failure is still reported, a late answer is rejected.
            Ok(false) => match reply {
                Reply::Failed(reason) => results::failed(&self.ask.agent_uri, &reason),
                Reply::Answer { .. } => results::over(id),
            },
            Err(error) => work::refused(error.code, &error.detail),
        }
    }

    fn result(&self, reply: Reply) -> CallToolResult {
        let agent_uri = &self.ask.agent_uri;
        match reply {
            Reply::Answer { response, task, context } => {
                let context = context.or_else(|| self.ask.context.as_ref().map(ToString::to_string));
                results::answer(agent_uri, response, task, context, "client")
            }
            Reply::Failed(reason) => results::failed(agent_uri, &reason),
        }
    }

    /// Processes the client's answer: returns it as the result, or falls back to the direct channel if a model
    /// answered.
    async fn take(
        &self,
        relay: &mut Relay,
        id: &HandoffId,
        answer: ClientAnswer,
    ) -> Result<Ended<CallToolResult>, ErrorData> {
        match answer {
            ClientAnswer::Reply(reply) => Ok(Ended::Done(self.settle(id, reply).await)),
            ClientAnswer::OtherModel(model) => self.take_back(relay, id, &model).await,
        }
    }

    /// Falls back to a direct handoff because a model answered the sampling request. The model's answer is discarded.
    async fn take_back(
        &self,
        relay: &mut Relay,
        id: &HandoffId,
        model: &str,
    ) -> Result<Ended<CallToolResult>, ErrorData> {
        tracing::info!(handoff = %id, model, "a client answered a handoff from a model; Baton hands the work over itself");
        if !self.call.caller.modern {
            self.call.environment.session.note_model_answer();
        }
        if let Err(refused) = self.within_scope() {
            self.settle(id, Reply::Failed("the caller may no longer call the agent".to_owned())).await;
            return Ok(Ended::Done(*refused));
        }
        let taken = self.desk().reclaim(&self.call.caller.principal, id, self.ask.clone(), model);
        Ok(Ended::Done(match relay.during(self.call.context, taken).await? {
            Ok(Some(reply)) => results::of_task(&self.ask.agent_uri, reply),
            Ok(None) => results::over(id),
            Err(error) => work::refused(error.code, &error.detail),
        }))
    }

    /// Accepted model names for an answer: the name used by the caller, the agent's name, and its address.
    fn agent_names(&self, address: &str) -> [String; 3] {
        let agents = self.call.environment.agent.ports.agents.listings();
        let agents = agents.iter().map(AsRef::as_ref);
        let name = baton_rules::resolve_handoff_target(&self.call.view.spec, agents, &self.ask.agent_uri);
        [self.ask.agent_uri.clone(), name.to_string(), address.to_owned()]
    }
}

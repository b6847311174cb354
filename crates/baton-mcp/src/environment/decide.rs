//! Permission check of a call, with the same rules as for listing, and the approval request if one is needed.

use super::{
    approve,
    call::EnvironmentCall,
    client_requests,
    relay::Relay,
    results::failure,
    rounds::{InputRounds, RoundAnswers, RoundStart, RoundState},
    view::permission_context,
};
use crate::{agent_invocation, span::set_attribute};
use baton_rules::PermissionDecision;
use baton_telemetry::names;
use baton_types::{AnswerAction, ErrorCode, ToolSpec};
use rmcp::{
    ErrorData,
    model::{CallToolResult, InputRequests},
};

/// Permission decision about a call.
pub(super) enum CallDecision {
    Run { approved: bool, answers: Option<RoundAnswers> },
    Ask(RoundState),
    Deny(CallToolResult),
}

impl EnvironmentCall<'_> {
    /// Decides whether the call runs: allowed by rule, allowed for the session, approved in an earlier round, or
    /// approved now.
    pub(super) async fn decide(
        &self,
        rounds: &InputRounds<'_>,
        relay: &mut Relay,
        tool: &ToolSpec,
        begin: RoundStart,
        state: Option<&str>,
    ) -> Result<CallDecision, ErrorData> {
        let (approved, answers) = match begin {
            RoundStart::First(answers) => (false, answers),
            RoundStart::Incomplete(round) => return Ok(CallDecision::Ask(round)),
            RoundStart::Answered(round, responses) => match approve::decision(&responses) {
                Some(answer) => {
                    if !use_approval(rounds, tool, state)? {
                        return Ok(self.approval_required());
                    }
                    if !answer.is_accepted() {
                        return Ok(self.declined());
                    }
                    (true, None)
                }
                None => {
                    if round.approved && !use_approval(rounds, tool, state)? {
                        return Ok(self.approval_required());
                    }
                    (round.approved, Some(RoundAnswers { responses, state: round.state }))
                }
            },
        };
        let spec = &self.view.spec;
        let granted = !self.caller.modern && self.environment.session.is_granted(&self.name);
        match baton_rules::decide_permission(&spec.policy, &permission_context(spec), tool, Some(&self.json), granted) {
            PermissionDecision::Deny(reason) => {
                self.note("deny");
                let detail = format!("'{}' did not run, because {reason}.", self.name);
                Ok(CallDecision::Deny(agent_invocation::error_result(ErrorCode::TOOL_DENIED, &detail)))
            }
            PermissionDecision::Ask if !approved => self.request_approval(relay).await,
            PermissionDecision::Run | PermissionDecision::Ask => {
                self.note(if approved { "approved" } else { "allow" });
                Ok(CallDecision::Run { approved, answers })
            }
        }
    }

    async fn request_approval(&self, relay: &mut Relay) -> Result<CallDecision, ErrorData> {
        if !client_requests::can_show_forms(&self.capabilities) {
            self.note("deny");
            return Ok(CallDecision::Deny(failure(approve::elicitation_unsupported(&self.name))));
        }
        if self.caller.modern {
            return Ok(self.approval_required());
        }
        let answered =
            relay.run_with_events(self.context, client_requests::send_requests(self.context, self.approval())).await?;
        match answered.map(|responses| approve::decision(&responses)) {
            Ok(Some(answer)) if answer.is_accepted() => {
                if answer == AnswerAction::AcceptForSession {
                    self.environment.session.grant(&self.name);
                }
                self.note("approved");
                Ok(CallDecision::Run { approved: true, answers: None })
            }
            Ok(_) => Ok(self.declined()),
            Err(reason) => {
                self.note("deny");
                let reason = format!("'{}' did not run: it was not approved. {reason}", self.name);
                Ok(CallDecision::Deny(failure(reason)))
            }
        }
    }

    /// Requests of the newest protocol have no session that could remember an approval.
    fn approval(&self) -> InputRequests {
        let agent = self.environment.agent.name.as_str();
        approve::question(agent, &self.name, self.json.as_str(), !self.caller.modern)
    }

    /// Requests approval, as a result for the client.
    fn approval_required(&self) -> CallDecision {
        self.note("ask");
        CallDecision::Ask(RoundState { approved: false, state: None, requests: self.approval(), handoff: None })
    }

    fn declined(&self) -> CallDecision {
        self.note("declined");
        CallDecision::Deny(failure(approve::declined_message(&self.name)))
    }

    fn note(&self, decision: &'static str) {
        set_attribute(self.context, names::BATON_DECISION, decision);
    }
}

/// An approval is valid for one call, unless the tool is idempotent. Returns false if approval must be requested again.
fn use_approval(rounds: &InputRounds<'_>, tool: &ToolSpec, state: Option<&str>) -> Result<bool, ErrorData> {
    match state.filter(|_| !tool.effects.may_repeat()) {
        Some(state) => rounds.mark_used(state),
        None => Ok(true),
    }
}

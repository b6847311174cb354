//! Permission check of a call, with the same rules as for listing, and the approval request if one is needed.

use super::{
    approve,
    call::EnvironmentCall,
    client_requests,
    relay::Relay,
    results::failure,
    rounds::{InputRounds, RoundAnswers, RoundStart, RoundState},
};
use crate::{agent_invocation, span::set_attribute};
use baton_rules::{CallAuthorization, PermissionContext, authorize_call};
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
        let (approval, answers) = match begin {
            RoundStart::First(answers) => (None, answers),
            RoundStart::Incomplete(round) => return Ok(CallDecision::Ask(round)),
            RoundStart::Answered(round, responses) => {
                let answer = approve::decision(&responses);
                if (answer.is_some() || round.approved) && !use_approval(rounds, tool, state)? {
                    return Ok(self.approval_required());
                }
                match answer {
                    Some(answer) => (Some(answer.is_accepted()), None),
                    None => (round.approved.then_some(true), Some(RoundAnswers { responses, state: round.state })),
                }
            }
        };
        let granted = !self.caller.modern && self.environment.session.is_granted(&self.name);
        match self.authorize(tool, approval).with_grant(granted) {
            CallAuthorization::ApprovalRequired => self.request_approval(relay, tool).await,
            authorization => Ok(self.conclude(authorization, answers)),
        }
    }

    fn authorize(&self, tool: &ToolSpec, approval: Option<bool>) -> CallAuthorization {
        let spec = &self.view.spec;
        let session = PermissionContext::for_direct_call(spec, &[]);
        authorize_call(&spec.policy, &session, tool, Some(&self.json), approval)
    }

    /// Runs or denies a call that needs no further approval.
    fn conclude(&self, authorization: CallAuthorization, answers: Option<RoundAnswers>) -> CallDecision {
        self.note(authorization.as_str());
        match authorization.refusal(&self.name) {
            Some(refusal) => {
                CallDecision::Deny(agent_invocation::error_result(ErrorCode::TOOL_DENIED, &format!("{refusal}.")))
            }
            None => CallDecision::Run { approved: authorization == CallAuthorization::Approved, answers },
        }
    }

    async fn request_approval(&self, relay: &mut Relay, tool: &ToolSpec) -> Result<CallDecision, ErrorData> {
        if !client_requests::can_show_forms(&self.capabilities) {
            self.note("deny");
            return Ok(CallDecision::Deny(failure(approve::elicitation_unsupported(&self.name))));
        }
        if self.caller.modern {
            return Ok(self.approval_required());
        }
        let answered =
            relay.run_with_events(self.context, client_requests::send_requests(self.context, self.approval())).await?;
        match answered.map(|responses| approve::decision(&responses).unwrap_or(AnswerAction::Cancel)) {
            Ok(answer) => {
                if answer == AnswerAction::AcceptForSession {
                    self.environment.session.grant(&self.name);
                }
                Ok(self.conclude(self.authorize(tool, Some(answer.is_accepted())), None))
            }
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
        self.note(CallAuthorization::ApprovalRequired.as_str());
        CallDecision::Ask(RoundState { approved: false, state: None, requests: self.approval(), handoff: None })
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

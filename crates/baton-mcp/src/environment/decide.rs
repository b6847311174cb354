//! Permission check of a call, with the same rules as for listing, and the approval request if one is needed.

use super::{
    approve, ask,
    call::Call,
    relay::Relay,
    results::failure,
    rounds::{Begin, Given, Round, Rounds},
    view::circumstances,
};
use crate::{span::note, work};
use baton_rules::PermissionDecision;
use baton_telemetry::names;
use baton_types::{AnswerAction, ErrorCode, ToolSpec};
use rmcp::{
    ErrorData,
    model::{CallToolResult, InputRequests},
};

/// Permission decision about a call.
pub(super) enum Decided {
    Runs { approved: bool, given: Option<Given> },
    Asks(Round),
    Refused(CallToolResult),
}

impl Call<'_> {
    /// Decides whether the call runs: allowed by rule, allowed for the session, approved in an earlier round, or
    /// approved now.
    pub(super) async fn decide(
        &self,
        rounds: &Rounds<'_>,
        relay: &mut Relay,
        tool: &ToolSpec,
        begin: Begin,
        state: Option<&str>,
    ) -> Result<Decided, ErrorData> {
        let (approved, given) = match begin {
            Begin::Anew(given) => (false, given),
            Begin::Again(round) => return Ok(Decided::Asks(round)),
            Begin::With(round, responses) => match approve::decision(&responses) {
                Some(answer) => {
                    if !spend(rounds, tool, state)? {
                        return Ok(self.anew());
                    }
                    if !answer.is_accepted() {
                        return Ok(self.declined());
                    }
                    (true, None)
                }
                None => {
                    if round.approved && !spend(rounds, tool, state)? {
                        return Ok(self.anew());
                    }
                    (round.approved, Some(Given { responses, state: round.state }))
                }
            },
        };
        let spec = &self.view.spec;
        let granted = !self.caller.modern && self.environment.session.is_granted(&self.name);
        match baton_rules::decide_permission(&spec.policy, &circumstances(spec), tool, Some(&self.json), granted) {
            PermissionDecision::Deny(reason) => {
                self.note("deny");
                let detail = format!("'{}' did not run, because {reason}.", self.name);
                Ok(Decided::Refused(work::refused(ErrorCode::TOOL_DENIED, &detail)))
            }
            PermissionDecision::Ask if !approved => self.ask_leave(relay).await,
            PermissionDecision::Run | PermissionDecision::Ask => {
                self.note(if approved { "approved" } else { "allow" });
                Ok(Decided::Runs { approved, given })
            }
        }
    }

    async fn ask_leave(&self, relay: &mut Relay) -> Result<Decided, ErrorData> {
        if !ask::can_confirm(&self.capabilities) {
            self.note("deny");
            return Ok(Decided::Refused(failure(approve::nobody_to_ask(&self.name))));
        }
        if self.caller.modern {
            return Ok(self.anew());
        }
        let answered = relay.during(self.context, ask::ask(self.context, self.approval())).await?;
        match answered.map(|responses| approve::decision(&responses)) {
            Ok(Some(answer)) if answer.is_accepted() => {
                if answer == AnswerAction::AcceptForSession {
                    self.environment.session.grant(&self.name);
                }
                self.note("approved");
                Ok(Decided::Runs { approved: true, given: None })
            }
            Ok(_) => Ok(self.declined()),
            Err(words) => {
                self.note("deny");
                let words = format!("'{}' did not run: it was not approved. {words}", self.name);
                Ok(Decided::Refused(failure(words)))
            }
        }
    }

    /// Requests of the newest protocol have no session that could remember an approval.
    fn approval(&self) -> InputRequests {
        let agent = self.environment.agent.name.as_str();
        approve::question(agent, &self.name, self.json.as_str(), !self.caller.modern)
    }

    /// Requests approval, as a result for the client.
    fn anew(&self) -> Decided {
        self.note("ask");
        Decided::Asks(Round { approved: false, state: None, requests: self.approval(), handoff: None })
    }

    fn declined(&self) -> Decided {
        self.note("declined");
        Decided::Refused(failure(approve::refused(&self.name)))
    }

    fn note(&self, decision: &'static str) {
        note(self.context, names::BATON_DECISION, decision);
    }
}

/// An approval is valid for one call, unless the tool is idempotent. Returns false if approval must be requested again.
fn spend(rounds: &Rounds<'_>, tool: &ToolSpec, state: Option<&str>) -> Result<bool, ErrorData> {
    match state.filter(|_| !tool.effects.may_repeat()) {
        Some(state) => rounds.spend(state),
        None => Ok(true),
    }
}

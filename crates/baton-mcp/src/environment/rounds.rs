//! Calls that need input from the client, for all protocol versions.
//!
//! A client of the newest protocol gets the questions as a result and calls again with the answers and a sealed state;
//! nothing is stored here in between. A client of an older protocol is asked on the open stream of its call.

use super::{
    agent::EnvironmentAgent,
    client_requests::{missing_capabilities, send_requests},
    handoff::DelegatedHandoff,
    relay::Relay,
};
use crate::{Caller, SealBinding, SealError};
use baton_ports::BoxFuture;
use baton_toolhost::ServerReply;
use rmcp::{
    ErrorData, RoleServer,
    model::{ClientCapabilities, ErrorCode, InputRequests, InputRequiredResult, InputResponses},
    service::RequestContext,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// Maximum number of rounds of one call; clients use the same limit.
const MAX_ROUNDS: usize = 10;

/// One request that may take several rounds.
pub(super) struct InputRounds<'a> {
    pub(super) agent: &'a EnvironmentAgent,
    pub(super) caller: &'a Caller,
    pub(super) context: &'a RequestContext<RoleServer>,
    pub(super) capabilities: &'a ClientCapabilities,
    /// Method, name and arguments are the same in all rounds.
    pub(super) method: &'a str,
    pub(super) name: &'a str,
    pub(super) arguments: &'a Value,
}

/// State that a client carries from round to round.
#[derive(Serialize, Deserialize)]
pub(super) struct RoundState {
    /// Whether the call was approved.
    pub(super) approved: bool,
    /// Opaque state of the tool or server that asked, returned to it.
    pub(super) state: Option<String>,
    /// Pending questions; repeated if answers are missing.
    pub(super) requests: InputRequests,
    /// The handoff delegated to the client; its request is derived from the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) handoff: Option<DelegatedHandoff>,
}

/// Answers to the last questions.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundAnswers {
    pub(super) responses: InputResponses,
    pub(super) state: Option<String>,
}

/// Outcome of a request.
pub(super) enum RoundsOutcome<T> {
    /// The final result.
    Done(T),
    /// Questions for the client.
    InputRequired(InputRequiredResult),
    /// No result: a client of an older protocol cannot or will not answer. The text is for a model.
    Unanswered(String),
}

/// Starting point of a request.
pub(super) enum RoundStart {
    /// First round; a client may send answers in advance, which the server checks.
    First(Option<RoundAnswers>),
    /// All questions were answered.
    Answered(RoundState, InputResponses),
    /// Some questions are unanswered.
    Incomplete(RoundState),
}

impl InputRounds<'_> {
    fn binding<'b>(&'b self, arguments: &'b str) -> SealBinding<'b> {
        SealBinding {
            principal: &self.caller.principal,
            endpoint: &self.agent.endpoint,
            method: self.method,
            name: self.name,
            arguments,
        }
    }

    /// Marks a state as used. Returns false if earlier use cannot be ruled out, so the question must be asked again.
    pub(super) fn mark_used(&self, state: &str) -> Result<bool, ErrorData> {
        match self.agent.common.seal.mark_used(self.binding(&self.arguments.to_string()), state) {
            Ok(()) => Ok(true),
            Err(SealError::Restarted) => Ok(false),
            Err(error) => Err(ErrorData::invalid_params(error.to_string(), None)),
        }
    }

    /// Reads the state and the answers that the client sent.
    pub(super) fn begin(
        &self,
        state: Option<&str>,
        responses: Option<&InputResponses>,
    ) -> Result<RoundStart, ErrorData> {
        let responses = responses.filter(|_| self.caller.modern);
        let Some(state) = state.filter(|_| self.caller.modern) else {
            return Ok(RoundStart::First(
                responses.map(|responses| RoundAnswers { responses: responses.clone(), state: None }),
            ));
        };
        let opened = self.agent.common.seal.open::<RoundState>(self.binding(&self.arguments.to_string()), state);
        let round = opened.map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let mut responses = responses.cloned().unwrap_or_default();
        if round.handoff.is_some() {
            return Ok(RoundStart::Answered(round, responses));
        }
        responses.retain(|key, _| round.requests.contains_key(key));
        if responses.len() < round.requests.len() {
            return Ok(RoundStart::Incomplete(round));
        }
        Ok(RoundStart::Answered(round, responses))
    }

    /// The questions as a result of the newest protocol.
    pub(super) fn input_required_result(&self, round: &RoundState) -> Result<InputRequiredResult, ErrorData> {
        let sealed = self.seal_state(round, Duration::ZERO)?;
        let requests = (!round.requests.is_empty()).then(|| round.requests.clone());
        Ok(InputRequiredResult::new(requests, Some(sealed)))
    }

    /// Seals the state for the client, valid for the default lifetime and at least for `at_least`.
    pub(super) fn seal_state(&self, round: &RoundState, at_least: Duration) -> Result<String, ErrorData> {
        let sealed = self.agent.common.seal.seal_for(self.binding(&self.arguments.to_string()), round, at_least);
        sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// Runs steps until one returns the result, or until the client must be asked with a result.
    pub(super) async fn run<'s, T>(
        &self,
        relay: &mut Relay,
        approved: bool,
        mut answers: Option<RoundAnswers>,
        mut step: impl FnMut(Option<RoundAnswers>) -> BoxFuture<'s, Result<ServerReply<T>, ErrorData>>,
    ) -> Result<RoundsOutcome<T>, ErrorData> {
        for _ in 0..MAX_ROUNDS {
            let (requests, state) = match relay.run_with_events(self.context, step(answers.take())).await? {
                Ok(ServerReply::Done(result)) => return Ok(RoundsOutcome::Done(result)),
                Ok(ServerReply::InputRequired { requests, state }) => (requests, state),
                Err(error) => match parse_missing_capabilities(&error) {
                    Some(required) => return self.unsupported_request(required),
                    None => return Err(error),
                },
            };
            if let Some(required) = missing_capabilities(&requests, self.capabilities) {
                return self.unsupported_request(required);
            }
            if self.caller.modern {
                return self
                    .input_required_result(&RoundState { approved, state, requests, handoff: None })
                    .map(RoundsOutcome::InputRequired);
            }
            match relay.run_with_events(self.context, send_requests(self.context, requests)).await? {
                Ok(responses) => answers = Some(RoundAnswers { responses, state }),
                Err(reason) => return Ok(RoundsOutcome::Unanswered(reason)),
            }
        }
        Ok(RoundsOutcome::Unanswered(format!(
            "'{}' asked for input more than {MAX_ROUNDS} times and was stopped.",
            self.name
        )))
    }

    fn unsupported_request<T>(&self, required: ClientCapabilities) -> Result<RoundsOutcome<T>, ErrorData> {
        if self.caller.modern {
            return Err(ErrorData::missing_required_client_capability(required));
        }
        let wants = match (&required.elicitation, &required.sampling) {
            (Some(_), _) => "elicitation",
            (_, Some(_)) => "sampling",
            _ => "roots",
        };
        let reason = format!(
            "'{}' needs input before it can continue, and this MCP client does not support {wants}. \
             Use a client that does.",
            self.name
        );
        Ok(RoundsOutcome::Unanswered(reason))
    }
}

/// Client capabilities that a server reports as missing.
fn parse_missing_capabilities(error: &ErrorData) -> Option<ClientCapabilities> {
    let data = error.data.as_ref().filter(|_| error.code == ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY)?;
    ClientCapabilities::deserialize(data.get("requiredCapabilities")?).ok()
}

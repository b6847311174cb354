//! Calls that need input from the client, for all protocol versions.
//!
//! A client of the newest protocol gets the questions as a result and calls again with the answers and a sealed state;
//! nothing is stored here in between. A client of an older protocol is asked on the open stream of its call.

use super::{
    agent::Agent,
    ask::{ask, lacking},
    handoff::Begun,
    relay::Relay,
};
use crate::{Caller, SealError, Sealed};
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
pub(super) struct Rounds<'a> {
    pub(super) agent: &'a Agent,
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
pub(super) struct Round {
    /// Whether the call was approved.
    pub(super) approved: bool,
    /// Opaque state of the tool or server that asked, returned to it.
    pub(super) state: Option<String>,
    /// Pending questions; repeated if answers are missing.
    pub(super) requests: InputRequests,
    /// The handoff delegated to the client; its request is derived from the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) handoff: Option<Begun>,
}

/// Answers to the last questions.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    pub(super) responses: InputResponses,
    pub(super) state: Option<String>,
}

/// Outcome of a request.
pub(super) enum Ended<T> {
    /// The final result.
    Done(T),
    /// Questions for the client.
    Asks(InputRequiredResult),
    /// No result: a client of an older protocol cannot or will not answer. The text is for a model.
    Unanswered(String),
}

/// Starting point of a request.
pub(super) enum Begin {
    /// First round; a client may send answers in advance, which the server checks.
    Anew(Option<Given>),
    /// All questions were answered.
    With(Round, InputResponses),
    /// Some questions are unanswered.
    Again(Round),
}

impl Rounds<'_> {
    fn bound<'b>(&'b self, arguments: &'b str) -> Sealed<'b> {
        Sealed {
            principal: &self.caller.principal,
            endpoint: &self.agent.endpoint,
            method: self.method,
            name: self.name,
            arguments,
        }
    }

    /// Marks a state as used. Returns false if earlier use cannot be ruled out, so the question must be asked again.
    pub(super) fn spend(&self, state: &str) -> Result<bool, ErrorData> {
        match self.agent.common.seal.spend(self.bound(&self.arguments.to_string()), state) {
            Ok(()) => Ok(true),
            Err(SealError::Restarted) => Ok(false),
            Err(error) => Err(ErrorData::invalid_params(error.to_string(), None)),
        }
    }

    /// Reads the state and the answers that the client sent.
    pub(super) fn begin(&self, state: Option<&str>, responses: Option<&InputResponses>) -> Result<Begin, ErrorData> {
        let responses = responses.filter(|_| self.caller.modern);
        let Some(state) = state.filter(|_| self.caller.modern) else {
            return Ok(Begin::Anew(responses.map(|responses| Given { responses: responses.clone(), state: None })));
        };
        let opened = self.agent.common.seal.open::<Round>(self.bound(&self.arguments.to_string()), state);
        let round = opened.map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let mut responses = responses.cloned().unwrap_or_default();
        if round.handoff.is_some() {
            return Ok(Begin::With(round, responses));
        }
        responses.retain(|key, _| round.requests.contains_key(key));
        if responses.len() < round.requests.len() {
            return Ok(Begin::Again(round));
        }
        Ok(Begin::With(round, responses))
    }

    /// The questions as a result of the newest protocol.
    pub(super) fn required(&self, round: &Round) -> Result<InputRequiredResult, ErrorData> {
        let sealed = self.sealed(round, Duration::ZERO)?;
        let requests = (!round.requests.is_empty()).then(|| round.requests.clone());
        Ok(InputRequiredResult::new(requests, Some(sealed)))
    }

    /// Seals the state for the client, valid for the default lifetime and at least for `at_least`.
    pub(super) fn sealed(&self, round: &Round, at_least: Duration) -> Result<String, ErrorData> {
        let sealed = self.agent.common.seal.close_for(self.bound(&self.arguments.to_string()), round, at_least);
        sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// Runs steps until one returns the result, or until the client must be asked with a result.
    pub(super) async fn run<'s, T>(
        &self,
        relay: &mut Relay,
        approved: bool,
        mut given: Option<Given>,
        mut step: impl FnMut(Option<Given>) -> BoxFuture<'s, Result<ServerReply<T>, ErrorData>>,
    ) -> Result<Ended<T>, ErrorData> {
        for _ in 0..MAX_ROUNDS {
            let (requests, state) = match relay.during(self.context, step(given.take())).await? {
                Ok(ServerReply::Done(result)) => return Ok(Ended::Done(result)),
                Ok(ServerReply::Asks { requests, state }) => (requests, state),
                Err(error) => match missing(&error) {
                    Some(required) => return self.cannot_ask(required),
                    None => return Err(error),
                },
            };
            if let Some(required) = lacking(&requests, self.capabilities) {
                return self.cannot_ask(required);
            }
            if self.caller.modern {
                return self.required(&Round { approved, state, requests, handoff: None }).map(Ended::Asks);
            }
            match relay.during(self.context, ask(self.context, requests)).await? {
                Ok(responses) => given = Some(Given { responses, state }),
                Err(words) => return Ok(Ended::Unanswered(words)),
            }
        }
        Ok(Ended::Unanswered(format!("'{}' asked more than {MAX_ROUNDS} times and was given up.", self.name)))
    }

    fn cannot_ask<T>(&self, required: ClientCapabilities) -> Result<Ended<T>, ErrorData> {
        if self.caller.modern {
            return Err(ErrorData::missing_required_client_capability(required));
        }
        let wants = match (&required.elicitation, &required.sampling) {
            (Some(_), _) => "elicitation",
            (_, Some(_)) => "sampling",
            _ => "roots",
        };
        let words = format!(
            "'{}' has to ask something before it can go on, and this MCP client cannot be asked: it does not support {wants}. \
             Use a client that does.",
            self.name
        );
        Ok(Ended::Unanswered(words))
    }
}

/// Client capabilities that a server reports as missing.
fn missing(error: &ErrorData) -> Option<ClientCapabilities> {
    let data = error.data.as_ref().filter(|_| error.code == ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY)?;
    ClientCapabilities::deserialize(data.get("requiredCapabilities")?).ok()
}

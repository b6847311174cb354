//! Calls that ask something before they are done, for clients of both eras.
//!
//! A client of the newest protocol gets the questions as a result, and comes back with the answers and a sealed state:
//! nothing is held here in between. A client of an older one is asked on the open stream of its call.

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

/// Rounds of one call; clients stop at the same number.
const MAX_ROUNDS: usize = 10;

/// One request that may take several rounds.
pub(super) struct Rounds<'a> {
    pub(super) agent: &'a Agent,
    pub(super) caller: &'a Caller,
    pub(super) context: &'a RequestContext<RoleServer>,
    pub(super) capabilities: &'a ClientCapabilities,
    /// The method, the name and the arguments that all rounds have in common.
    pub(super) method: &'a str,
    pub(super) name: &'a str,
    pub(super) arguments: &'a Value,
}

/// What a client carries from round to round.
#[derive(Serialize, Deserialize)]
pub(super) struct Round {
    /// Whether somebody has said that the call may run.
    pub(super) approved: bool,
    /// What whoever asked wants to have back.
    pub(super) state: Option<String>,
    /// What was asked; it is asked again when answers are missing.
    pub(super) requests: InputRequests,
    /// The handoff that the client was asked to make instead; its request follows from the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) handoff: Option<Begun>,
}

/// The answers to the last questions.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    pub(super) responses: InputResponses,
    pub(super) state: Option<String>,
}

/// How a request ended.
pub(super) enum Ended<T> {
    /// With its result.
    Done(T),
    /// With questions to the client.
    Asks(InputRequiredResult),
    /// Without: the client of an older protocol cannot or will not answer. In words for a model.
    Unanswered(String),
}

/// Where a request begins.
pub(super) enum Begin {
    /// At the beginning; a client may bring answers to what it was not asked yet, for the server to judge.
    Anew(Option<Given>),
    /// After questions that were answered.
    With(Round, InputResponses),
    /// After questions of which some are not answered.
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

    /// Uses a state up; false when it cannot be known whether it was used before, so that its question has to be asked
    /// again.
    pub(super) fn spend(&self, state: &str) -> Result<bool, ErrorData> {
        match self.agent.common.seal.spend(self.bound(&self.arguments.to_string()), state) {
            Ok(()) => Ok(true),
            Err(SealError::Restarted) => Ok(false),
            Err(error) => Err(ErrorData::invalid_params(error.to_string(), None)),
        }
    }

    /// Reads what the client brings along.
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

    /// What the client carries; it opens as long as any state does, and at least so long.
    pub(super) fn sealed(&self, round: &Round, at_least: Duration) -> Result<String, ErrorData> {
        let sealed = self.agent.common.seal.close_for(self.bound(&self.arguments.to_string()), round, at_least);
        sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// Takes steps until one is the last, or the client has to be asked by a result.
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

/// What a server says that it would need of the client.
fn missing(error: &ErrorData) -> Option<ClientCapabilities> {
    let data = error.data.as_ref().filter(|_| error.code == ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY)?;
    ClientCapabilities::deserialize(data.get("requiredCapabilities")?).ok()
}

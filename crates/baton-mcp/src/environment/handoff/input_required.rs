//! Handoff channel for clients of the newest protocol with sampling: the request is an unfinished result, and the
//! client calls again with the agent's answer. No state is held in between; the handoff stays pending in the journal.

use super::{Channel, Work, reply, reply::Reply, request};
use crate::environment::{
    ask::lacking,
    relay::Relay,
    rounds::{Ended, Round},
};
use baton_ports::{BoxFuture, HandoffTicket};
use baton_types::{HandoffChannel, HandoffId, Timestamp};
use rmcp::{
    ErrorData,
    model::{CallToolResult, CreateMessageRequest, InputRequest, InputRequests, InputRequiredResult, InputResponses},
};
use serde::{Deserialize, Serialize};

/// Key of the sampling request that names the agent.
const KEY: &str = "handoff";

/// A recorded handoff delegated to the client; the client carries it sealed, so it cannot be changed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::environment) struct Begun {
    id: HandoffId,
    agent_uri: String,
    depth: u32,
    deadline: Timestamp,
}

pub(super) struct InputRequired;

impl Channel for InputRequired {
    fn hand_over<'a>(
        &'a self,
        work: &'a Work<'a>,
        _: &'a mut Relay,
    ) -> BoxFuture<'a, Result<Ended<CallToolResult>, ErrorData>> {
        Box::pin(async move {
            match work.begin(HandoffChannel::InputRequired).await {
                Ok(HandoffTicket { id, agent_uri, depth, deadline }) => {
                    work.ask_client( Begun {id ,agent_uri ,depth , deadline}
                    ).map(Ended::Asks)
                }Err(refused )= >Ok(Ended::Done(refused))
            ,
        }}
    )
}

} impl InputRequired
    /// Accepts the client's answer once: checked by the sealed state within this process, and by the record after a
    /// restart.
    {pub(super ) async fncame_back
        (&self
        , mutwork :Work<'_>
        ,relay :& mutRelay
        ,(state ,begun) :(&str ,&Begun)
        ,responses :&InputResponses
    , )- >Result<Ended<CallToolResult> ,ErrorData >
        { letSome(response ) =responses.get(KEY ) else { returnwork.ask_again(begun). await}
        ;work.rounds.spend(state)?
        // A later round may omit the handoff depth.
        ;work.ask. depth =work.ask.depth.max(begun.depth.saturating_sub(1))
        ; let answer =reply::read(response ,&work.agent_names(&begun.agent_uri))
        ;work.take(relay ,&begun.id ,answer).
    await
}

} implWork<'_ >
    { fnask_client(&self ,begun :Begun )- >Result<InputRequiredResult ,ErrorData >
        { let params =request::params(&self.ask ,&begun.id ,&begun.agent_uri ,begun.depth)
        ; let request =InputRequest::CreateMessage(CreateMessageRequest::new(params))
        // The record's deadline decides, so the seal outlives it: a late client gets the record's error, not one of the
        // seal.
        ; let at_least =self.remaining(begun.deadline ) *2
        ; let round = Round {approved :false ,state :None ,requests :InputRequests::new() ,handoff :Some(begun )}
        ; let sealed =self.rounds.sealed(&round ,at_least)?
        ;Ok(InputRequiredResult::new
            (Some(InputRequests::from([(KEY.to_owned() ,request)]))
            ,Some(sealed)
        ))
    }

    /// Repeats the request until the deadline.
    async fn ask_again(&self, begun: &Begun) -> Result<Ended<CallToolResult>, ErrorData> {
        if self.remaining(begun.deadline).is_zero() {
            let late = Reply::Failed("its deadline passed before the client brought an answer".to_owned());
            return Ok(Ended::Done(self.settle(&begun.id, late).await));
        }
        let asked = self.ask_client(begun.clone())?;
        let requests = asked.input_requests.as_ref();
        match requests.and_then(|requests| lacking(requests, self.rounds.capabilities)) {
            Some(required) => Err(ErrorData::missing_required_client_capability(required)),
            None => Ok(Ended::Asks(asked)),
        }
    }
}

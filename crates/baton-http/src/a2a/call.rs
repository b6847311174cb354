//! What an operation knows of its request, whatever binding and dialect brought it.

use crate::{app::Shared, auth::Caller, reply, telemetry::RequestSpan};
use baton_engine::{EngineError, TaskRef};
use baton_rules::Access;
use baton_types::{AgentName, AgentSpec, ErrorCode, Principal, PushDialect, StreamId};
use baton_wire::{
    FieldViolation,
    a2a::v1::{Error, ErrorKind},
};
use http::HeaderMap;
use std::{borrow::Cow, sync::Arc};

/// One request that reached its operation; whoever asks may read the agent.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) shared: &'a Arc<Shared>,
    pub(super) caller: &'a Caller,
    pub(super) agent: &'a AgentName,
    /// HTTP headers or gRPC metadata: the protocol's service parameters have the same names in both.
    pub(super) headers: &'a HeaderMap,
    /// What the caller speaks, and so what its notifications are written in.
    pub(super) dialect: PushDialect,
    /// What is told about the request.
    pub(super) span: &'a RequestSpan,
}

impl<'a> Call<'a> {
    /// Who is asking.
    pub(super) fn principal(&self) -> &'a Arc<Principal> {
        self.caller.principal()
    }

    /// Refuses callers who may only look.
    pub(super) fn check_may_call(&self) -> Result<(), Error> {
        self.caller.may(self.shared, Access::Call, Some(self.agent))
    }

    /// What the caller is told about a refused command.
    pub(super) fn refuse(&self, error: EngineError) -> Error {
        if let EngineError::TaskNotFound(task) = &error {
            self.caller.not_found(self.shared, StreamId::Task(task.clone()), ErrorCode::TASK_NOT_FOUND);
        }
        reply::from_engine(error)
    }

    /// The definition of the agent that is asked.
    pub(super) fn spec(&self) -> Result<Arc<AgentSpec>, Error> {
        self.shared.engine.agent(self.agent).ok_or_else(|| self.no_such_agent())
    }

    fn no_such_agent(&self) -> Error {
        self.shared.no_such_agent_for(self.caller, Some(self.agent.as_str()))
    }

    /// A task of this agent's.
    pub(super) fn task(&self, id: Cow<'_, str>) -> TaskRef {
        TaskRef { task: id.into_owned().into(), agent: Some(self.agent.clone()) }
    }

    /// A tenant only routes, and the agent's name is the only one there is; another would look like isolation.
    pub(super) fn check_tenant(&self, tenant: Option<&str>) -> Result<(), Error> {
        match tenant {
            None | Some("") => Ok(()),
            Some(tenant) if tenant == self.agent.as_str() => Ok(()),
            Some(_) => {
                let description = format!("the tenant of this agent is '{}'; or leave it out", self.agent);
                Err(Error::invalid_params(FieldViolation { field: "tenant".to_owned(), description }.into()))
            }
        }
    }

    /// Refuses what the card says is not offered.
    pub(super) fn check_streaming(&self) -> Result<(), Error> {
        if self.shared.options.a2a.streaming {
            return Ok(());
        }
        let message = "this agent does not stream; send without streaming and get the task";
        Err(Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, message))
    }

    /// Refuses what the card says is not offered.
    pub(super) fn check_push(&self) -> Result<(), Error> {
        if self.shared.options.a2a.push {
            return Ok(());
        }
        let message = "this agent does not push; stream or get the task instead";
        Err(Error::new(ErrorKind::PushNotificationNotSupported, ErrorCode::NOT_OFFERED, message))
    }

    /// The text of a header, when it is there and is text.
    pub(super) fn header(&self, name: &str) -> Option<&'a str> {
        self.headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim).filter(|text| !text.is_empty())
    }
}

/// A task that is missing under an agent that is missing: the agent is what to tell about.
pub(super) fn explain(shared: &Shared, caller: &Caller, agent: &AgentName, error: Error) -> Error {
    let lost = matches!(error.kind, ErrorKind::TaskNotFound | ErrorKind::AgentNotFound);
    if lost && shared.agent(agent.as_str()).is_none() {
        return shared.no_such_agent_for(caller, Some(agent.as_str()));
    }
    error
}

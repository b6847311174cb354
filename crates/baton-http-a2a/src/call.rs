//! Request context of an A2A operation, independent of binding and dialect.

use crate::{
    error::{from_api, from_engine},
    error_codes,
    state::A2aState,
};
use baton_engine::{EngineError, TaskRef};
use baton_http::{Caller, RequestSpan};
use baton_rules::Access;
use baton_types::{AgentName, AgentSpec, ErrorCode, FieldViolation, Principal, PushDialect, StreamId};
use baton_wire::a2a::v1::{Error, ErrorKind};
use http::HeaderMap;
use std::{borrow::Cow, sync::Arc};

/// A request dispatched to its operation; the caller is known to have read access to the agent.
#[derive(Clone, Copy)]
pub(super) struct A2aCall<'a> {
    pub(super) shared: &'a Arc<A2aState>,
    pub(super) caller: &'a Caller,
    pub(super) agent: &'a AgentName,
    /// HTTP headers or gRPC metadata; the protocol's service parameters have the same names in both.
    pub(super) headers: &'a HeaderMap,
    /// Dialect of the caller, also used for its push notifications.
    pub(super) dialect: PushDialect,
    /// Span of the request.
    pub(super) span: &'a RequestSpan,
}

impl<'a> A2aCall<'a> {
    /// Principal of the caller.
    pub(super) fn principal(&self) -> &'a Arc<Principal> {
        self.caller.principal()
    }

    /// Rejects callers without call access to the agent.
    pub(super) fn check_may_call(&self) -> Result<(), Error> {
        self.caller.check_access(&self.shared.http, Access::Call, Some(self.agent)).map_err(from_api)
    }

    /// Error reply for a rejected command. A missing task is also reported to the audit check.
    pub(super) fn refuse(&self, error: EngineError) -> Error {
        if let EngineError::TaskNotFound(task) = &error {
            self.caller.audit_not_found(&self.shared.http, StreamId::Task(task.clone()), ErrorCode::TASK_NOT_FOUND);
        }
        from_engine(error)
    }

    /// Definition of the called agent.
    pub(super) fn spec(&self) -> Result<Arc<AgentSpec>, Error> {
        self.shared.engine.agent(self.agent).ok_or_else(|| self.no_such_agent())
    }

    fn no_such_agent(&self) -> Error {
        from_api(self.shared.http.no_such_agent_for(self.caller, Some(self.agent.as_str())))
    }

    /// Reference to a task of this agent.
    pub(super) fn task(&self, id: Cow<'_, str>) -> TaskRef {
        TaskRef { task: id.into_owned().into(), agent: Some(self.agent.clone()) }
    }

    /// Rejects any tenant except the agent's name: a tenant only routes, and another name would suggest isolation.
    pub(super) fn check_tenant(&self, tenant: Option<&str>) -> Result<(), Error> {
        match tenant {
            None | Some("") => Ok(()),
            Some(tenant) if tenant == self.agent.as_str() => Ok(()),
            Some(_) => {
                let description = format!("the tenant of this agent is '{}'; use it or omit the tenant", self.agent);
                Err(Error::invalid_params(FieldViolation { field: "tenant".to_owned(), description }.into()))
            }
        }
    }

    /// Rejects streaming if the agent card does not offer it.
    pub(super) fn check_streaming(&self) -> Result<(), Error> {
        if self.shared.options.streaming {
            return Ok(());
        }
        let message = "this agent does not support streaming; send without streaming and get the task";
        Err(Error::new(ErrorKind::UnsupportedOperation, error_codes::NOT_OFFERED, message))
    }

    /// Rejects push notifications if the agent card does not offer them.
    pub(super) fn check_push(&self) -> Result<(), Error> {
        if self.shared.options.push {
            return Ok(());
        }
        let message = "this agent does not support push notifications; stream or get the task instead";
        Err(Error::new(ErrorKind::PushNotificationNotSupported, error_codes::NOT_OFFERED, message))
    }

    /// Trimmed text of a header; `None` if it is missing, empty or not text.
    pub(super) fn header(&self, name: &str) -> Option<&'a str> {
        self.headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim).filter(|text| !text.is_empty())
    }
}

/// Replaces a not-found error by "no such agent" if the agent does not exist.
pub(super) fn prefer_agent_not_found(shared: &A2aState, caller: &Caller, agent: &AgentName, error: Error) -> Error {
    let not_found = matches!(error.kind, ErrorKind::TaskNotFound | ErrorKind::AgentNotFound);
    if not_found && shared.http.agent(agent.as_str()).is_none() {
        return from_api(shared.http.no_such_agent_for(caller, Some(agent.as_str())));
    }
    error
}

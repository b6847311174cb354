//! A gRPC request, from its metadata to the operation and its reply.

use super::super::{
    call::{Call, explain},
    extensions,
    operation::Operation,
    ops::{Following, Told},
    version::{self, Version},
};
use crate::{app::Shared, auth::Caller, telemetry::RequestSpan};
use baton_proto::status;
use baton_rules::Access;
use baton_types::{AgentName, PushDialect};
use baton_wire::a2a::v1::Error;
use futures_core::Stream;
use http::HeaderMap;
use std::{pin::Pin, sync::Arc};
use tonic::{Request, Response, Status, metadata::MetadataMap};

/// Metadata key that selects the agent if there are several and the request has no tenant.
const AGENT: &str = "baton-agent";

/// Stream of replies.
pub(super) type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// A request with resolved agent and checked version.
pub(super) struct Asked {
    shared: Arc<Shared>,
    caller: Caller,
    agent: AgentName,
    headers: HeaderMap,
    dialect: PushDialect,
    span: RequestSpan,
}

impl Asked {
    /// Reads the metadata, resolves the agent and checks version and access; `tenant` is the tenant field of the
    /// request.
    pub(super) fn of<T>(
        shared: &Arc<Shared>,
        request: &Request<T>,
        tenant: &str,
        spoken: Version,
    ) -> Result<Self, Status> {
        let headers = request.metadata().clone().into_headers();
        let span = RequestSpan::of(request.extensions(), &headers);
        let refuse = |error: Error| refused(&span, &error);
        version::check(&headers, None, spoken, shared.options.a2a.version_rule).map_err(refuse)?;
        let named = headers.get(AGENT).and_then(|value| value.to_str().ok());
        let tenant = Some(tenant).filter(|tenant| !tenant.is_empty()).or(named);
        let found = Caller::of(request.extensions()).and_then(|caller| {
            let agent = shared.routed(&caller, tenant)?;
            caller.may(shared, Access::Read, Some(&agent))?;
            if let Some(operation) = request.extensions().get::<Operation>() {
                caller.may(shared, operation.access(), Some(&agent))?;
            }
            Ok((caller, agent))
        });
        let (caller, agent) = found.map_err(refuse)?;
        span.is_for(&agent);
        let dialect = match spoken {
            Version::V1 => PushDialect::V1,
            Version::V03 => PushDialect::V03,
        };
        Ok(Self { shared: Arc::clone(shared), caller, agent, headers, dialect, span })
    }

    fn call(&self) -> Call<'_> {
        let (caller, agent, span) = (&self.caller, &self.agent, &self.span);
        Call { shared: &self.shared, caller, agent, headers: &self.headers, dialect: self.dialect, span }
    }

    /// Runs `operate` and converts its error to a status.
    pub(super) async fn operate<T>(
        &self,
        operate: impl AsyncFnOnce(&Call<'_>) -> Result<T, Error>,
    ) -> Result<Response<T>, Status> {
        let call = self.call();
        let mut response = Response::new(operate(&call).await.map_err(|error| self.refuse(error))?);
        let mut headers = HeaderMap::new();
        extensions::acknowledge(&call, &mut headers);
        *response.metadata_mut() = MetadataMap::from_headers(headers);
        Ok(response)
    }

    /// Converts the error to a status.
    fn refuse(&self, error: Error) -> Status {
        refused(&self.span, &explain(&self.shared, &self.caller, &self.agent, error))
    }
}

/// Records the error on the span and converts it to a status.
fn refused(span: &RequestSpan, error: &Error) -> Status {
    span.refused(error);
    status(error)
}

/// Stream of the task with every item converted by `form`; it ends with the task, its turn or the process.
pub(super) fn stream<T: Send + 'static>(
    mut following: Following,
    form: impl Fn(Told<'_>) -> Result<T, Error> + Send + 'static,
) -> Answers<T> {
    let shutdown = following.shutdown.clone();
    Box::pin(async_stream::stream! {
        while let Some(Some(item)) = shutdown.run_until_cancelled(following.next()).await {
            let mut answers = Vec::with_capacity(1);
            following.tell(&item, |told| answers.push(form(told)));
            for answer in answers {
                match answer {
                    Ok(answer) => yield Ok(answer),
                    Err(error) => {
                        yield Err(status(&error));
                        return;
                    }
                }
            }
        }
    })
}

//! A gRPC request, from its metadata to the operation and its reply.

use super::super::{
    call::{A2aCall, prefer_agent_not_found},
    extensions,
    operation::A2aOperation,
    ops::{TaskStream, TaskStreamItem},
    version::{self, A2aVersion},
};
use crate::{error::from_api, span_attributes::A2aSpan as _, state::A2aState};
use baton_http::{Caller, RequestSpan};
use baton_proto::status;
use baton_rules::Access;
use baton_types::{AgentName, PushDialect};
use baton_wire::a2a::v1::Error;
use futures_core::Stream;
use http::HeaderMap;
use std::{pin::Pin, sync::Arc};
use tonic::{Request, Response, Status, metadata::MetadataMap};

/// Metadata key that selects the agent if there are several and the request has no tenant.
const AGENT_METADATA_KEY: &str = "baton-agent";

/// Stream of replies.
pub(super) type GrpcReplyStream<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// A request with resolved agent and checked version.
pub(super) struct GrpcRequest {
    shared: Arc<A2aState>,
    caller: Caller,
    agent: AgentName,
    headers: HeaderMap,
    dialect: PushDialect,
    span: RequestSpan,
}

impl GrpcRequest {
    /// Reads the metadata, resolves the agent and checks version and access; `tenant` is the tenant field of the
    /// request.
    pub(super) fn from_request<T>(
        shared: &Arc<A2aState>,
        request: &Request<T>,
        tenant: &str,
        protocol_version: A2aVersion,
    ) -> Result<Self, Status> {
        let headers = request.metadata().clone().into_headers();
        let span = RequestSpan::from_request(request.extensions(), &headers);
        let refuse = |error: Error| error_status(&span, &error);
        version::check(&headers, None, protocol_version, shared.options.version_rule).map_err(refuse)?;
        let named = headers.get(AGENT_METADATA_KEY).and_then(|value| value.to_str().ok());
        let tenant = Some(tenant).filter(|tenant| !tenant.is_empty()).or(named);
        let found = Caller::from_extensions(request.extensions()).and_then(|caller| {
            let agent = shared.http.resolve_agent(&caller, tenant)?;
            caller.check_access(&shared.http, Access::Read, Some(&agent))?;
            if let Some(operation) = request.extensions().get::<A2aOperation>() {
                caller.check_access(&shared.http, operation.access(), Some(&agent))?;
            }
            Ok((caller, agent))
        });
        let (caller, agent) = found.map_err(|error| refuse(from_api(error)))?;
        span.set_agent(&agent);
        let dialect = match protocol_version {
            A2aVersion::V1 => PushDialect::V1,
            A2aVersion::V03 => PushDialect::V03,
        };
        Ok(Self { shared: Arc::clone(shared), caller, agent, headers, dialect, span })
    }

    fn call(&self) -> A2aCall<'_> {
        let (caller, agent, span) = (&self.caller, &self.agent, &self.span);
        A2aCall { shared: &self.shared, caller, agent, headers: &self.headers, dialect: self.dialect, span }
    }

    /// Runs `operate` and converts its error to a status.
    pub(super) async fn operate<T>(
        &self,
        operate: impl AsyncFnOnce(&A2aCall<'_>) -> Result<T, Error>,
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
        error_status(&self.span, &prefer_agent_not_found(&self.shared, &self.caller, &self.agent, error))
    }
}

/// Records the error on the span and converts it to a status.
fn error_status(span: &RequestSpan, error: &Error) -> Status {
    span.record_rejection(error);
    status(error)
}

/// Stream of the task with every item converted by `form`; it ends with the task, its turn or the process.
pub(super) fn stream<T: Send + 'static>(
    mut following: TaskStream,
    form: impl Fn(TaskStreamItem<'_>) -> Result<T, Error> + Send + 'static,
) -> GrpcReplyStream<T> {
    let shutdown = following.shutdown.clone();
    Box::pin(async_stream::stream! {
        while let Some(Some(item)) = shutdown.run_until_cancelled(following.next()).await {
            let mut answers = Vec::with_capacity(1);
            following.encode(&item, |stream_item| answers.push(form(stream_item)));
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

//! Requests to the client, and the capabilities that they need.

use crate::serve::ensure_stream;
use rmcp::{
    RoleServer, ServiceError,
    model::{
        ClientCapabilities, ElicitRequestParams, ElicitationCapability, FormElicitationCapability, InputRequest,
        InputRequests, InputResponses, RootsCapabilities, SamplingCapability, ServerRequest, UrlElicitationCapability,
    },
    service::RequestContext,
};

/// Capabilities required by the requests; `None` if the client has them all.
pub(super) fn missing_capabilities(requests: &InputRequests, has: &ClientCapabilities) -> Option<ClientCapabilities> {
    let mut required = ClientCapabilities::default();
    let mut lacks = false;
    for request in requests.values() {
        match request {
            InputRequest::Elicitation(request) => {
                let elicitation = required.elicitation.get_or_insert_default();
                if matches!(request.params, ElicitRequestParams::UrlElicitationParams { .. }) {
                    elicitation.url = Some(UrlElicitationCapability::default());
                    lacks |= has.elicitation.as_ref().is_none_or(|has| has.url.is_none());
                } else {
                    lacks |= !has.elicitation.as_ref().is_some_and(supports_forms);
                }
            }
            InputRequest::CreateMessage(_) => {
                required.sampling = Some(SamplingCapability::default());
                lacks |= has.sampling.is_none();
            }
            InputRequest::ListRoots(_) => {
                required.roots = Some(RootsCapabilities::default());
                lacks |= has.roots.is_none();
            }
            _ => lacks = true,
        }
    }
    lacks.then_some(required)
}

/// Elicitation without further declaration means forms.
fn supports_forms(elicitation: &ElicitationCapability) -> bool {
    let form: &Option<FormElicitationCapability> = &elicitation.form;
    form.is_some() || elicitation.url.is_none()
}

/// Whether the client can show forms.
pub(super) fn can_show_forms(has: &ClientCapabilities) -> bool {
    has.elicitation.as_ref().is_some_and(supports_forms)
}

/// Sends requests to a client of an older protocol on the stream of its call; the error is a text for a model.
///
/// The transport identifies the call by the current task, so this must not be spawned.
pub(super) async fn send_requests(
    context: &RequestContext<RoleServer>,
    requests: InputRequests,
) -> Result<InputResponses, String> {
    ensure_stream(context).await;
    let mut responses = InputResponses::new();
    for (key, request) in requests {
        let request = match request {
            InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
            InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
            InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
            _ => return Err("The tool sent a request that this client does not support.".to_owned()),
        };
        let answer = Box::pin(context.peer.send_request(request)).await.map_err(|error| unanswered(&error))?;
        let answer = serde_json::to_value(answer).map_err(|_| "The client's answer cannot be read.".to_owned())?;
        responses.insert(key, answer);
    }
    Ok(responses)
}

fn unanswered(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => format!("The client did not answer the question: {}", error.message),
        _ => "The client did not answer the question.".to_owned(),
    }
}

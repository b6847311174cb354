//! `resources/list`, `resources/templates/list`, `resources/read`.

use super::{
    handler::Environment,
    page::{page, sort},
    references,
    relay::Relay,
    rounds::{Begin, Ended, Given, Rounds},
    server_tool::{answering, completed, passed_on},
    uri_template,
};
use crate::Caller;
use baton_ports::BoxFuture;
use baton_toolhost::{CallOptions, ServerError, ServerReply};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CacheScope, ErrorCode, ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceTemplate,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

impl Environment {
    pub(super) async fn resources(
        &self,
        request: Option<PaginatedRequestParams>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let Some((spec, kit)) = self.agent.now() else { return Err(self.agent.gone()) };
        let mut resources = references::resources(&spec);
        if !kit.servers.is_empty() {
            let offered = self.agent.ports.servers.resources(&self.agent.name, self.agent.common.limits.patience).await;
            resources.extend(offered.into_iter().map(|offered| offered.item));
        }
        sort(&mut resources);
        let (resources, next_cursor) = page(&resources, request.as_ref(), self.agent.common.limits.page)?;
        Ok(ListResourcesResult { next_cursor, ..ListResourcesResult::with_all_items(resources) })
    }

    pub(super) async fn templates(
        &self,
        request: Option<PaginatedRequestParams>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let Some((_, kit)) = self.agent.now() else { return Err(self.agent.gone()) };
        let mut templates: Vec<ResourceTemplate> = Vec::new();
        if !kit.servers.is_empty() {
            let offered = self.agent.ports.servers.templates(&self.agent.name, self.agent.common.limits.patience).await;
            templates.extend(offered.into_iter().map(|offered| offered.item));
        }
        sort(&mut templates);
        let (templates, next_cursor) = page(&templates, request.as_ref(), self.agent.common.limits.page)?;
        Ok(ListResourceTemplatesResult { next_cursor, ..ListResourceTemplatesResult::with_all_items(templates) })
    }

    pub(super) async fn read(
        &self,
        request: ReadResourceRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let caller = Caller::of(context)?;
        let Some((spec, _)) = self.agent.now() else { return Err(self.agent.gone()) };
        if let Some(reference) = references::find(&spec, &request.uri) {
            return Ok(ReadResourceResult::new(vec![references::contents(reference, &request.uri)]).into());
        }
        let capabilities = context.client_capabilities().unwrap_or_default();
        let rounds = Rounds {
            agent: &self.agent,
            caller: &caller,
            context,
            capabilities: &capabilities,
            method: "resources/read",
            name: &request.uri,
            arguments: &Value::Null,
        };
        let mut relay = Relay::new(context, self.level(context, &caller), self.agent.common.limits.heartbeat);
        let given = match rounds.begin(request.request_state.as_deref(), request.input_responses.as_ref())? {
            Begin::Anew(given) => given,
            Begin::Again(round) => return rounds.required(&round).map(ReadResourceResponse::from),
            Begin::With(round, responses) => Some(Given { responses, state: round.state }),
        };
        let options = self.options(context, &caller, &capabilities, &mut relay);
        let step = |given: Option<Given>| -> BoxFuture<'_, Result<ServerReply<ReadResourceResult>, ErrorData>> {
            Box::pin(self.server_resource(&request.uri, answering(&options, given)))
        };
        match rounds.run(&mut relay, false, given, step).await? {
            Ended::Done(mut result) => {
                // Access is checked per caller, so shared caches must not store the result.
                result.cache_scope = Some(CacheScope::Private);
                Ok(result.into())
            }
            Ended::Asks(questions) => Ok(questions.into()),
            Ended::Unanswered(words) => Err(ErrorData::internal_error(words, None)),
        }
    }

    /// Tries the candidate servers in order of likelihood until one has the resource.
    async fn server_resource(
        &self,
        uri: &str,
        options: CallOptions,
    ) -> Result<ServerReply<ReadResourceResult>, ErrorData> {
        for server in self.servers_of(uri).await {
            match self.agent.ports.servers.read_resource(&self.agent.name, &server, uri, options.clone()).await {
                Ok(reply) => return Ok(completed(reply, |result| &mut result.result_type)),
                Err(ServerError::Refused { error, .. }) if is_missing(&error) => {}
                Err(ServerError::Refused { error, .. }) => return Err(passed_on(*error)),
                Err(other) => return Err(ErrorData::internal_error(other.to_string(), None)),
            }
        }
        Err(no_resource(uri))
    }

    /// Candidate servers for a resource: the one that lists it, otherwise those with a matching template, followed by
    /// all others with resources.
    pub(super) async fn servers_of(&self, uri: &str) -> Vec<String> {
        let (servers, patience) = (&self.agent.ports.servers, self.agent.common.limits.patience);
        let listed = servers.resources(&self.agent.name, patience).await;
        if let Some(listed) = listed.into_iter().find(|listed| listed.item.uri == uri) {
            return vec![listed.server];
        }
        let templates = servers.templates(&self.agent.name, patience).await;
        let fitting = templates.into_iter().filter(|offered| uri_template::fits(&offered.item.uri_template, uri));
        let fitting: Vec<String> = fitting.map(|offered| offered.server).collect();
        let able = servers.capabilities(&self.agent.name).into_iter();
        let able = able.filter(|server| server.item.resources.is_some()).map(|server| server.server);
        let mut asked = fitting;
        for server in able {
            if !asked.contains(&server) {
                asked.push(server);
            }
        }
        asked
    }
}

/// Error codes for a missing resource in all protocol versions.
fn is_missing(error: &ErrorData) -> bool {
    matches!(error.code, ErrorCode::RESOURCE_NOT_FOUND | ErrorCode::INVALID_PARAMS | ErrorCode::METHOD_NOT_FOUND)
}

/// The transport maps the code to the client's protocol version.
pub(super) fn no_resource(uri: &str) -> ErrorData {
    let shown: String = uri.chars().take(512).collect();
    ErrorData::resource_not_found(format!("there is no resource {shown}"), Some(json!({ "uri": shown })))
}

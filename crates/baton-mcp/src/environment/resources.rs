//! `resources/list`, `resources/templates/list`, `resources/read`.

use super::{
    handler::Environment,
    page::{page, sort},
    references,
    relay::Relay,
    rounds::{InputRounds, RoundAnswers, RoundStart, RoundsOutcome},
    server_tool::{forward_error, mark_complete, with_answers},
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
        let Some((spec, agent_resources)) = self.agent.current() else { return Err(self.agent.removed_error()) };
        let mut resources = references::resources(&spec);
        if !agent_resources.servers.is_empty() {
            let offered =
                self.agent.ports.servers.resources(&self.agent.name, self.agent.common.limits.list_timeout).await;
            resources.extend(offered.into_iter().map(|offered| offered.item));
        }
        sort(&mut resources);
        let (resources, next_cursor) = page(&resources, request.as_ref(), self.agent.common.limits.page_size)?;
        Ok(ListResourcesResult { next_cursor, ..ListResourcesResult::with_all_items(resources) })
    }

    pub(super) async fn templates(
        &self,
        request: Option<PaginatedRequestParams>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let Some((_, agent_resources)) = self.agent.current() else { return Err(self.agent.removed_error()) };
        let mut templates: Vec<ResourceTemplate> = Vec::new();
        if !agent_resources.servers.is_empty() {
            let offered =
                self.agent.ports.servers.templates(&self.agent.name, self.agent.common.limits.list_timeout).await;
            templates.extend(offered.into_iter().map(|offered| offered.item));
        }
        sort(&mut templates);
        let (templates, next_cursor) = page(&templates, request.as_ref(), self.agent.common.limits.page_size)?;
        Ok(ListResourceTemplatesResult { next_cursor, ..ListResourceTemplatesResult::with_all_items(templates) })
    }

    pub(super) async fn read(
        &self,
        request: ReadResourceRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let caller = Caller::from_context(context)?;
        let Some((spec, _)) = self.agent.current() else { return Err(self.agent.removed_error()) };
        if let Some(reference) = references::find(&spec, &request.uri) {
            return Ok(ReadResourceResult::new(vec![references::contents(reference, &request.uri)]).into());
        }
        let capabilities = context.client_capabilities().unwrap_or_default();
        let rounds = InputRounds {
            agent: &self.agent,
            caller: &caller,
            context,
            capabilities: &capabilities,
            method: "resources/read",
            name: &request.uri,
            arguments: &Value::Null,
        };
        let mut relay = Relay::new(context, self.level(context, &caller), self.agent.common.limits.heartbeat);
        let answers = match rounds.begin(request.request_state.as_deref(), request.input_responses.as_ref())? {
            RoundStart::First(answers) => answers,
            RoundStart::Incomplete(round) => {
                return rounds.input_required_result(&round).map(ReadResourceResponse::from);
            }
            RoundStart::Answered(round, responses) => Some(RoundAnswers { responses, state: round.state }),
        };
        let options = self.options(context, &caller, &capabilities, &mut relay);
        let step =
            |answers: Option<RoundAnswers>| -> BoxFuture<'_, Result<ServerReply<ReadResourceResult>, ErrorData>> {
                Box::pin(self.server_resource(&request.uri, with_answers(&options, answers)))
            };
        match rounds.run(&mut relay, false, answers, step).await? {
            RoundsOutcome::Done(mut result) => {
                // Access is checked per caller, so shared caches must not store the result.
                result.cache_scope = Some(CacheScope::Private);
                Ok(result.into())
            }
            RoundsOutcome::InputRequired(questions) => Ok(questions.into()),
            RoundsOutcome::Unanswered(reason) => Err(ErrorData::internal_error(reason, None)),
        }
    }

    /// Tries the candidate servers in order of likelihood until one has the resource.
    async fn server_resource(
        &self,
        uri: &str,
        options: CallOptions,
    ) -> Result<ServerReply<ReadResourceResult>, ErrorData> {
        for server in self.candidate_servers(uri).await {
            match self.agent.ports.servers.read_resource(&self.agent.name, &server, uri, options.clone()).await {
                Ok(reply) => return Ok(mark_complete(reply, |result| &mut result.result_type)),
                Err(ServerError::Rejected { error, .. }) if is_missing(&error) => {}
                Err(ServerError::Rejected { error, .. }) => return Err(forward_error(*error)),
                Err(other) => return Err(ErrorData::internal_error(other.to_string(), None)),
            }
        }
        Err(resource_not_found(uri))
    }

    /// Candidate servers for a resource: the one that lists it, otherwise those with a matching template, followed by
    /// all others with resources.
    pub(super) async fn candidate_servers(&self, uri: &str) -> Vec<String> {
        let (servers, list_timeout) = (&self.agent.ports.servers, self.agent.common.limits.list_timeout);
        let listed = servers.resources(&self.agent.name, list_timeout).await;
        if let Some(listed) = listed.into_iter().find(|listed| listed.item.uri == uri) {
            return vec![listed.server];
        }
        let templates = servers.templates(&self.agent.name, list_timeout).await;
        let fitting =
            templates.into_iter().filter(|offered| uri_template::matches_template(&offered.item.uri_template, uri));
        let fitting: Vec<String> = fitting.map(|offered| offered.server).collect();
        let able = servers.capabilities(&self.agent.name).into_iter();
        let able = able.filter(|server| server.item.resources.is_some()).map(|server| server.server);
        let mut candidates = fitting;
        for server in able {
            if !candidates.contains(&server) {
                candidates.push(server);
            }
        }
        candidates
    }
}

/// Error codes for a missing resource in all protocol versions.
fn is_missing(error: &ErrorData) -> bool {
    matches!(error.code, ErrorCode::RESOURCE_NOT_FOUND | ErrorCode::INVALID_PARAMS | ErrorCode::METHOD_NOT_FOUND)
}

/// The transport maps the code to the client's protocol version.
pub(super) fn resource_not_found(uri: &str) -> ErrorData {
    let shown: String = uri.chars().take(512).collect();
    ErrorData::resource_not_found(format!("there is no resource {shown}"), Some(json!({ "uri": shown })))
}

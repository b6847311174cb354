//! Calls to servers of both protocol eras.

use super::{
    CallOptions, McpServers, ServerError, ServerReply,
    connection::ServerConnection,
    held_calls::{HeldCall, ServerQuestion},
    in_flight_call::{CallStep, InFlightCall},
    redact::redact_secrets,
    spans::record_failure,
};
use baton_telemetry::{OpenSpan, current_span, names};
use baton_types::{AgentName, Digest, McpTimeouts, TraceContext};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, CompleteRequestParams, CompleteResult,
    ContentBlock, GetPromptRequest, GetPromptRequestParams, GetPromptResult, InputRequests, InputResponses,
    LoggingLevel, ReadResourceRequest, ReadResourceRequestParams, ReadResourceResult, ServerResult,
};
use serde::{Serialize, de::DeserializeOwned};
use std::sync::Arc;

/// The method that calls a tool.
const CALL: &str = "tools/call";

impl McpServers {
    /// Calls a tool by its name at the server; dropping the future cancels the call.
    pub async fn call_tool(
        &self,
        agent: &AgentName,
        server: &str,
        tool: &str,
        options: CallOptions,
    ) -> Result<ServerReply<CallToolResult>, ServerError> {
        let mut params = CallToolRequestParams::new(tool.to_owned());
        params.arguments.clone_from(&options.arguments);
        let request = |responses, state| {
            (params.input_responses, params.request_state) = (responses, state);
            ClientRequest::CallToolRequest(CallToolRequest::new(params))
        };
        Box::pin(self.request(agent, server, (CALL, tool), options, request, tool_result)).await
    }

    /// Gets a prompt by its name at the server, with the arguments of the options.
    pub async fn get_prompt(
        &self,
        agent: &AgentName,
        server: &str,
        prompt: &str,
        options: CallOptions,
    ) -> Result<ServerReply<GetPromptResult>, ServerError> {
        let mut params = GetPromptRequestParams::new(prompt);
        params.arguments.clone_from(&options.arguments);
        let request = |responses, state| {
            (params.input_responses, params.request_state) = (responses, state);
            ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
        };
        let read = |result| match result {
            ServerResult::GetPromptResult(result) => Some(result),
            _ => None,
        };
        Box::pin(self.request(agent, server, ("prompts/get", prompt), options, request, read)).await
    }

    /// Reads a resource.
    pub async fn read_resource(
        &self,
        agent: &AgentName,
        server: &str,
        uri: &str,
        options: CallOptions,
    ) -> Result<ServerReply<ReadResourceResult>, ServerError> {
        let mut params = ReadResourceRequestParams::new(uri);
        let request = |responses, state| {
            (params.input_responses, params.request_state) = (responses, state);
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
        };
        let read = |result| match result {
            ServerResult::ReadResourceResult(result) => Some(result),
            _ => None,
        };
        Box::pin(self.request(agent, server, ("resources/read", uri), options, request, read)).await
    }

    /// Requests completion of an argument.
    pub async fn complete(
        &self,
        agent: &AgentName,
        server: &str,
        params: CompleteRequestParams,
    ) -> Result<CompleteResult, ServerError> {
        let connection = self.entry(agent, server)?.connection().await?;
        connection.send_short_request("completion/complete", params, |params| connection.peer().complete(params)).await
    }

    /// Subscribes to changes of a resource, reported as [`super::ServerEvent::ResourceUpdated`]. Subscriptions are
    /// counted, so that one unsubscribe does not affect other subscribers.
    pub async fn subscribe(&self, agent: &AgentName, server: &str, uri: &str) -> Result<(), ServerError> {
        let entry = self.entry(agent, server)?;
        let connection = entry.connection().await?;
        entry.shared().subscriptions.add(uri, &connection).await
    }

    /// Reverts one [`McpServers::subscribe`].
    pub async fn unsubscribe(&self, agent: &AgentName, server: &str, uri: &str) -> Result<(), ServerError> {
        let entry = self.entry(agent, server)?;
        let connection = entry.connection().await?;
        entry.shared().subscriptions.remove(uri, &connection).await
    }

    /// Sets the log level of servers of the older protocol.
    pub async fn set_log_level(&self, agent: &AgentName, level: LoggingLevel) {
        let entries = self.agent_servers(agent).entries();
        let ready = entries.iter().filter_map(|entry| entry.connection_state().connection);
        let updates = ready.map(|connection| async move { connection.set_level(level).await });
        futures_util::future::join_all(updates).await;
    }

    async fn request<T: Serialize + DeserializeOwned>(
        &self,
        agent: &AgentName,
        server: &str,
        (method, name): (&'static str, &str),
        mut options: CallOptions,
        request: impl FnOnce(Option<InputResponses>, Option<String>) -> ClientRequest,
        read: impl FnOnce(ServerResult) -> Option<T>,
    ) -> Result<ServerReply<T>, ServerError> {
        let entry = self.entry(agent, server)?;
        let connection = entry.connection().await?;
        let limits = entry.server().timeouts;
        // Callers of tools record their own span.
        let mut span = (method != CALL).then(|| begin_span(&connection, method, name, &mut options));
        let result = async {
            if connection.is_modern() {
                self.request_modern(&connection, request, options, limits).await
            } else {
                let binding = binding(agent, server, method, name, &options);
                Box::pin(self.request_legacy(&connection, request, options, limits, binding)).await
            }
        };
        let result = result.await;
        if let (Some(span), Err(error)) = (&mut span, &result) {
            record_failure(span, error);
        }
        let reply = match result? {
            UntypedReply::InputRequired { requests, state } => redact_secrets(requests, connection.log())
                .map(|requests| ServerReply::InputRequired { requests, state }),
            UntypedReply::Done(result) => {
                read(*result).and_then(|result| redact_secrets(result, connection.log())).map(ServerReply::Done)
            }
        };
        reply.ok_or_else(|| ServerError::Broken {
            server: server.to_owned(),
            reason: format!("its response to {method} does not match the protocol"),
        })
    }

    /// No call is held between rounds: the server keeps its data in the request state.
    async fn request_modern(
        &self,
        connection: &Arc<ServerConnection>,
        request: impl FnOnce(Option<InputResponses>, Option<String>) -> ClientRequest,
        mut options: CallOptions,
        limits: McpTimeouts,
    ) -> Result<UntypedReply, ServerError> {
        let request = request(options.input_responses.take(), options.request_state.take());
        let mut running = connection.start(request, &options, limits).await?;
        loop {
            match running.drive(options.events.as_deref()).await? {
                CallStep::Done(ServerResult::InputRequiredResult(result)) => {
                    let requests = result.input_requests.unwrap_or_default();
                    return Ok(UntypedReply::InputRequired { requests, state: result.request_state });
                }
                CallStep::Done(result) => return Ok(UntypedReply::Done(Box::new(result))),
                // This era forbids server requests; dropping the reply rejects them.
                CallStep::InputRequired { .. } => {}
            }
        }
    }

    async fn request_legacy(
        &self,
        connection: &Arc<ServerConnection>,
        request: impl FnOnce(Option<InputResponses>, Option<String>) -> ClientRequest,
        options: CallOptions,
        limits: McpTimeouts,
        binding: String,
    ) -> Result<UntypedReply, ServerError> {
        let mut running = match &options.request_state {
            None => {
                if let Some(level) = options.log_level {
                    connection.set_level(level).await;
                }
                connection.start(request(None, None), &options, limits).await?
            }
            Some(state) => {
                let held = self.inner.held.take(state, &binding)?;
                let answer = options.input_responses.as_ref().and_then(|answers| answers.get(&held.question.key));
                let Some(answer) = answer else {
                    return self.hold(held.running, held.question, binding, options.account);
                };
                let _ = held.question.reply.send(Ok(answer.clone()));
                held.running
            }
        };
        match running.drive(options.events.as_deref()).await? {
            CallStep::Done(result) => Ok(UntypedReply::Done(Box::new(result))),
            CallStep::InputRequired { key, request, reply } => {
                self.hold(running, ServerQuestion { key, request, reply }, binding, options.account)
            }
        }
    }

    fn hold(
        &self,
        running: InFlightCall,
        question: ServerQuestion,
        binding: String,
        account: String,
    ) -> Result<UntypedReply, ServerError> {
        let requests = question.requests();
        let settings = &self.inner.settings;
        let held = HeldCall { running, question, binding, account };
        let state = self.inner.held.hold(held, settings.max_held, settings.hold_timeout)?;
        Ok(UntypedReply::InputRequired { requests, state: Some(state) })
    }
}

/// Untyped result of a request.
enum UntypedReply {
    Done(Box<ServerResult>),
    InputRequired { requests: InputRequests, state: Option<String> },
}

/// Starts a span for a request without one, and propagates it.
fn begin_span(connection: &ServerConnection, method: &'static str, name: &str, options: &mut CallOptions) -> OpenSpan {
    let parent = options.trace.as_deref().and_then(TraceContext::parse).or_else(current_span);
    // The address of a resource may contain secrets in its query.
    let (prompt, uri) =
        if method == "resources/read" { (None, name.split(['?', '#']).next()) } else { (Some(name), None) };
    let mut span = connection.spans().begin(method, prompt, parent);
    span.set_some(names::MCP_RESOURCE_URI, uri.map(str::to_owned));
    options.trace = span.context().map(|context| context.to_string()).or(options.trace.take());
    span
}

/// Digest that identifies a call and its caller.
fn binding(agent: &AgentName, server: &str, method: &str, name: &str, options: &CallOptions) -> String {
    let arguments = serde_json::to_string(&options.arguments).unwrap_or_default();
    let parts = [agent.as_str(), server, method, name, &options.caller, &arguments];
    Digest::compute(parts.join("\0").as_bytes()).as_str().to_owned()
}

/// Accepts results of servers that omit the result structure.
fn tool_result(result: ServerResult) -> Option<CallToolResult> {
    match result {
        ServerResult::CallToolResult(result) => Some(result),
        ServerResult::EmptyResult(_) => Some(CallToolResult::success(Vec::new())),
        ServerResult::CustomResult(custom) => {
            Some(CallToolResult::success(vec![ContentBlock::text(serde_json::to_string(&custom).ok()?)]))
        }
        _ => None,
    }
}

//! An in-process MCP server of the agent.

use super::client::object;
use baton_ports::BoxFuture;
use baton_toolhost::{BoxedTransport, ConnectAttempt, ConnectError, ConnectTarget, ServerConnector};
use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, CompletionInfo,
        ContentBlock, CreateMessageRequest, ElicitRequest, ElicitRequestParams, GetPromptRequestParams,
        GetPromptResponse, GetPromptResult, Icon, InputRequest, InputRequests, InputRequiredResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
        LoggingMessageNotificationParam, PaginatedRequestParams, ProgressNotificationParam, Prompt, PromptArgument,
        PromptMessage, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
        ResourceContents, ResourceTemplate, ResourceUpdatedNotificationParam, Role, ServerCapabilities, ServerConfig,
        ServerRequest, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, ToolAnnotations,
        UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
    transport::async_rw::AsyncRwTransport,
};
use serde_json::{Value, json};
use std::{
    borrow::Cow,
    sync::{Arc, Mutex},
};
use tokio::sync::{Notify, broadcast};

/// A handle to the server, one for each connection.
#[derive(Clone, Default)]
pub(crate) struct Upstream(Arc<UpstreamState>);

/// State of the server and signals for the tests.
pub(crate) struct UpstreamState {
    pub(crate) tools: Mutex<Vec<Tool>>,
    peer: Mutex<Option<Peer<RoleServer>>>,
    changed: broadcast::Sender<String>,
    pub(crate) begun: Arc<Notify>,
    pub(crate) cancelled: Arc<Notify>,
    pub(crate) subscribed: Mutex<Vec<String>>,
}

impl std::ops::Deref for Upstream {
    type Target = UpstreamState;

    fn deref(&self) -> &UpstreamState {
        &self.0
    }
}

impl Default for UpstreamState {
    fn default() -> Self {
        Self {
            tools: Mutex::new(tools()),
            peer: Mutex::default(),
            changed: broadcast::channel(16).0,
            begun: Arc::default(),
            cancelled: Arc::default(),
            subscribed: Mutex::default(),
        }
    }
}

/// Sent instead of a resource URI when the tools changed.
const TOOLS: &str = "tools";

fn tool(name: &'static str, schema: Value) -> Tool {
    Tool::new(name, format!("Upstream {name}"), object(schema))
}

fn tools() -> Vec<Tool> {
    let mut add = tool(
        "add",
        json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "$comment": "kept"}),
    );
    add.title = Some("Add two".to_owned());
    add.output_schema = Some(Arc::new(object(json!({"type": "object", "properties": {"sum": {"type": "integer"}}}))));
    add.annotations = Some(ToolAnnotations::new().read_only(true).open_world(false));
    add.icons = Some(vec![Icon::new("https://example.com/add.png")]);
    let none = || json!({"type": "object"});
    vec![
        add,
        tool("elicit", none()),
        tool("sample", none()),
        tool("chatter", none()),
        tool("wait", none()),
        tool("secret_tool", none()),
        tool("huge", none()),
    ]
}

impl Upstream {
    /// Sends a resource-updated notification.
    pub(crate) async fn update(&self, uri: &str) {
        let peer = self.peer.lock().unwrap().clone();
        match peer {
            Some(peer) => peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.unwrap(),
            None => self.announce(uri).await,
        }
    }

    /// Adds a tool and sends a list-changed notification.
    pub(crate) async fn add_tool(&self, name: &'static str) {
        self.tools.lock().unwrap().push(tool(name, json!({"type": "object"})));
        let peer = self.peer.lock().unwrap().clone();
        match peer {
            Some(peer) => peer.notify_tool_list_changed().await.unwrap(),
            None => self.announce(TOOLS).await,
        }
    }

    /// Sends a change to all subscriptions; waits for the first one.
    async fn announce(&self, what: &str) {
        while self.changed.send(what.to_owned()).is_err() {
            tokio::task::yield_now().await;
        }
    }

    /// Waits for a subscription to a resource.
    pub(crate) async fn wait_for_subscription(&self, uri: &str) {
        while !self.subscribed.lock().unwrap().iter().any(|watched| watched == uri) {
            tokio::task::yield_now().await;
        }
    }
}

impl ServerConnector for Upstream {
    fn open<'a>(
        &'a self,
        target: ConnectTarget<'a>,
        _: ConnectAttempt,
    ) -> BoxFuture<'a, Result<BoxedTransport, ConnectError>> {
        let shared = self.clone();
        let legacy = target.server.era == baton_types::McpEra::Legacy;
        Box::pin(async move {
            let (ours, theirs) = tokio::io::duplex(1 << 20);
            tokio::spawn(async move {
                let served = UpstreamHandler { shared, legacy }.serve(theirs).await;
                if let Ok(service) = served {
                    let _ = service.waiting().await;
                }
            });
            let (read, write) = tokio::io::split(ours);
            Ok(BoxedTransport::new(AsyncRwTransport::new_client(read, write)))
        })
    }
}

struct UpstreamHandler {
    shared: Upstream,
    legacy: bool,
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

fn text_result(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

fn name_form() -> ElicitRequest {
    let requested_schema = serde_json::from_value(json!({
        "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"],
    }));
    ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: "Upstream asks: who?".to_owned(),
        requested_schema: requested_schema.unwrap(),
    })
}

fn prompt_model() -> CreateMessageRequest {
    let params = json!({
        "messages": [{"role": "user", "content": {"type": "text", "text": "hello"}}],
        "maxTokens": 12,
    });
    CreateMessageRequest::new(serde_json::from_value(params).unwrap())
}

impl UpstreamHandler {
    /// Asks the client as its era requires; `Err` if the answer comes with the next request.
    async fn ask(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        question: InputRequest,
    ) -> Result<Value, InputRequiredResult> {
        if is_modern(context) {
            let answer = request.input_responses.as_ref().and_then(|responses| responses.get("q"));
            return match (answer, request.request_state.as_deref()) {
                (Some(answer), Some("kept by the client")) => Ok(answer.clone()),
                _ => {
                    let questions = InputRequests::from([("q".to_owned(), question)]);
                    Err(InputRequiredResult::new(Some(questions), Some("kept by the client".to_owned())))
                }
            };
        }
        let request = match question {
            InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
            InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
            _ => unreachable!("not asked here"),
        };
        Ok(serde_json::to_value(context.peer.send_request(request).await.unwrap()).unwrap())
    }
}

impl ServerHandler for UpstreamHandler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_completions()
                .enable_logging()
                .enable_prompts()
                .enable_resources()
                .enable_resources_subscribe()
                .enable_tools()
                .enable_tool_list_changed()
                .build(),
        )
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        if self.legacy {
            return Cow::Owned(vec![ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25]);
        }
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        *self.shared.peer.lock().unwrap() = Some(context.peer);
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.shared.tools.lock().unwrap().clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match &*request.name {
            "add" => {
                let number = |name: &str| request.arguments.as_ref().unwrap()[name].as_i64().unwrap();
                Ok(CallToolResult::structured(json!({"sum": number("a") + number("b")})).into())
            }
            "elicit" => match self.ask(&request, &context, InputRequest::Elicitation(name_form())).await {
                Ok(answer) => Ok(text_result(answer.to_string())),
                Err(questions) => Ok(questions.into()),
            },
            "sample" => match self.ask(&request, &context, InputRequest::CreateMessage(prompt_model())).await {
                Ok(answer) => Ok(text_result(answer["content"]["text"].as_str().unwrap_or("nothing"))),
                Err(questions) => Ok(questions.into()),
            },
            "chatter" => {
                if let Some(token) = context.meta.get_progress_token() {
                    for step in [1.0, 2.0] {
                        let progress = ProgressNotificationParam::new(token.clone(), step).with_total(2.0);
                        context.peer.notify_progress(progress).await.unwrap();
                    }
                }
                for (level, words) in [(LoggingLevel::Debug, "too fine"), (LoggingLevel::Warning, "careful")] {
                    let log = LoggingMessageNotificationParam::new(level, words.into());
                    context.peer.notify_logging_message(log).await.unwrap();
                }
                Ok(text_result("said it all"))
            }
            "wait" => {
                self.shared.begun.notify_one();
                context.ct.cancelled().await;
                self.shared.cancelled.notify_one();
                Ok(text_result("stopped"))
            }
            "huge" => Ok(text_result("x".repeat(2 << 20))),
            "secret_tool" => Ok(text_result("the secret")),
            other => Err(ErrorData::invalid_params(format!("Unknown tool: {other}"), None)),
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let greet = Prompt::new("greet", Some("Greets"), Some(vec![PromptArgument::new("name").with_required(true)]));
        Ok(ListPromptsResult::with_all_items(vec![greet]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let name = request.arguments.as_ref().and_then(|arguments| arguments.get("name")?.as_str());
        let text = format!("Hello {} from {}", name.unwrap_or("you"), request.name);
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let value = format!("{}!", request.argument.value);
        Ok(CompleteResult::new(CompletionInfo::new(vec![value]).unwrap()))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new("up://static", "static")]))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![ResourceTemplate::new("up://items/{id}", "item")]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if !request.uri.starts_with("up://") || request.uri.ends_with("/none") {
            return Err(ErrorData::resource_not_found("no such thing", None));
        }
        Ok(ReadResourceResult::new(vec![ResourceContents::text(format!("at {}", request.uri), request.uri)]).into())
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(&self, request: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.shared.subscribed.lock().unwrap().push(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.subscribed.lock().unwrap().retain(|uri| *uri != request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changed = self.shared.changed.subscribe();
        let watched = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        self.shared.subscribed.lock().unwrap().extend(watched);
        loop {
            let uri = tokio::select! {
                uri = changed.recv() => uri.unwrap(),
                () = context.cancelled() => return Ok(()),
            };
            let sink = context.sink();
            let _ = if uri == TOOLS {
                sink.notify_tool_list_changed().await
            } else {
                sink.notify_resource_updated(uri).await
            };
        }
    }
}

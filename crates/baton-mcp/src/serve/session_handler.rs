//! The handler of one session; it can be called directly after its first call through the transport.

use super::{
    caller::{is_modern, session_id},
    methods::{explain, unreadable_request},
    session_calls::SessionRoutes,
    streaming::StartedCall,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam, CompleteRequestParams,
        CompleteResult, CustomNotification, CustomRequest, CustomResult, DiscoverResult, GetPromptRequestParams,
        GetPromptResponse, GetTaskParams, GetTaskResult, InitializeRequestParams, InitializeResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
        SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
        UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

/// Wraps a handler for the transport: one per session of the older protocols, one per request of the newest.
pub(super) struct SessionHandler<H> {
    handler: Arc<H>,
    routes: Arc<SessionRoutes<H>>,
    /// Session id, set by the first call.
    session: OnceLock<Arc<str>>,
}

impl<H> SessionHandler<H> {
    pub(super) fn new(handler: H, routes: Arc<SessionRoutes<H>>) -> Self {
        Self { handler: Arc::new(handler), routes, session: OnceLock::new() }
    }
}

impl<H> Drop for SessionHandler<H> {
    fn drop(&mut self) {
        if let Some(session) = self.session.get() {
            self.routes.close(session, &self.handler);
        }
    }
}

type ServerRequestContext = RequestContext<RoleServer>;
type ServerNotificationContext = NotificationContext<RoleServer>;
type ListRequestParams = Option<PaginatedRequestParams>;

/// Methods forwarded to the handler.
macro_rules! forwarded {
    ($($verb:ident($($argument:ident: $kind:ty),+) -> $answer:ty;)+) => {
        $(fn $verb(&self, $($argument: $kind),+) -> impl Future<Output = $answer> + Send + '_ {
            self.handler.$verb($($argument),+)
        })+
    };
}

/// The same for optional methods: a handler without one rejects it with only the method name as message.
macro_rules! explained {
    ($($verb:ident = $method:literal($request:ident: $kind:ty) -> $answer:ty;)+) => {
        $(async fn $verb(&self, $request: $kind, context: ServerRequestContext) -> Result<$answer, ErrorData> {
            let modern = is_modern(&context);
            let answered = self.handler.$verb($request, context).await;
            answered.map_err(|error| explain(error, $method, &self.get_info().capabilities, modern))
        })+
    };
}

impl<H: ServerHandler> ServerHandler for SessionHandler<H> {
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: ServerRequestContext,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(begun) = StartedCall::from_context(&context) {
            return begun.resume(&context.ct).await;
        }
        // A request with its own protocol version belongs to no session, even if a header names one.
        if let Some(session) = session_id(&context).filter(|_| context.meta.protocol_version().is_none()) {
            let session = self.session.get_or_init(|| session.into());
            self.routes.record_call(session, &self.handler, &context.peer);
        }
        self.handler.call_tool(request, context).await
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: ServerRequestContext,
    ) -> Result<InitializeResult, ErrorData> {
        // `initialize` with an existing session id means a restored session: its previous handler is obsolete.
        if let Some(session) = session_id(&context) {
            self.routes.replace_handler(session, &self.handler);
        }
        self.handler.initialize(request, context).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: ServerRequestContext,
    ) -> Result<CustomResult, ErrorData> {
        Err(unreadable_request(&request, &self.get_info().capabilities, is_modern(&context)))
    }

    fn get_info(&self) -> ServerConfig {
        self.handler.get_info()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.handler.get_tool(name)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.handler.supported_protocol_versions()
    }

    fn negotiate_initialize(&self, request: &InitializeRequestParams) -> Result<InitializeResult, ErrorData> {
        self.handler.negotiate_initialize(request)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.handler.accepted_subscription_filter(requested)
    }

    explained! {
        complete = "completion/complete"(request: CompleteRequestParams) -> CompleteResult;
        set_level = "logging/setLevel"(request: SetLevelRequestParams) -> ();
        get_prompt = "prompts/get"(request: GetPromptRequestParams) -> GetPromptResponse;
        read_resource = "resources/read"(request: ReadResourceRequestParams) -> ReadResourceResponse;
        subscribe = "resources/subscribe"(request: SubscribeRequestParams) -> ();
        unsubscribe = "resources/unsubscribe"(request: UnsubscribeRequestParams) -> ();
    }

    forwarded! {
        ping(context: ServerRequestContext) -> Result<(), ErrorData>;
        discover(context: ServerRequestContext) -> Result<DiscoverResult, ErrorData>;
        list_prompts(request: ListRequestParams, context: ServerRequestContext) -> Result<ListPromptsResult, ErrorData>;
        list_resources(request: ListRequestParams, context: ServerRequestContext) -> Result<ListResourcesResult, ErrorData>;
        list_resource_templates(request: ListRequestParams, context: ServerRequestContext) -> Result<ListResourceTemplatesResult, ErrorData>;
        listen(context: SubscriptionContext) -> Result<(), ErrorData>;
        list_tools(request: ListRequestParams, context: ServerRequestContext) -> Result<ListToolsResult, ErrorData>;
        get_task(request: GetTaskParams, context: ServerRequestContext) -> Result<GetTaskResult, ErrorData>;
        update_task(request: UpdateTaskParams, context: ServerRequestContext) -> Result<(), ErrorData>;
        cancel_task(request: CancelTaskParams, context: ServerRequestContext) -> Result<(), ErrorData>;
        on_cancelled(notification: CancelledNotificationParam, context: ServerNotificationContext) -> ();
        on_progress(notification: ProgressNotificationParam, context: ServerNotificationContext) -> ();
        on_initialized(context: ServerNotificationContext) -> ();
        on_roots_list_changed(context: ServerNotificationContext) -> ();
        on_custom_notification(notification: CustomNotification, context: ServerNotificationContext) -> ();
    }
}

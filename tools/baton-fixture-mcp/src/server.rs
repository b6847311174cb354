//! Dispatch of client requests to their handlers.
#![expect(
    deprecated,
    reason = "logging levels and single subscriptions are deprecated in the protocol, and older clients have them"
)]

use crate::{
    prompts, resources,
    shared_state::{FixtureChange, FixtureState},
    tools,
};
use parking_lot::Mutex;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
        GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, LoggingLevel, PaginatedRequestParams, ReadResourceRequestParams,
        ReadResourceResponse, ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig,
        SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
    },
    service::{NotificationContext, Peer, RequestContext, SubscriptionContext},
};
use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// Upper bound of subscribed resources per session.
const MAX_WATCHED: usize = 100;

/// One session, or one request of a sessionless client.
pub(crate) struct Fixture {
    pub(crate) world: Arc<FixtureState>,
    level: Mutex<Option<LoggingLevel>>,
    watched: Arc<Mutex<BTreeSet<String>>>,
    /// Change receivers of subscriptions that are being acknowledged, so that no change in between is lost.
    pending_listeners: Mutex<VecDeque<Receiver<FixtureChange>>>,
}

impl Fixture {
    /// A session without a log level and subscriptions.
    pub(crate) fn new(world: Arc<FixtureState>) -> Self {
        Self { world, level: Mutex::default(), watched: Arc::default(), pending_listeners: Mutex::default() }
    }

    /// Minimum log level set by an older client.
    pub(crate) fn level(&self) -> Option<LoggingLevel> {
        *self.level.lock()
    }
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_logging()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("baton-fixture-mcp", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list(&self.world)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::find(&self.world, name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        tools::call(self, &request, &context).await
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list(&self.world)))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&self.world, &request, &context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = prompts::complete(&request.argument.name, &request.argument.value);
        let info = CompletionInfo::with_all_values(values);
        info.map(CompleteResult::new).map_err(|error| ErrorData::internal_error(error, None))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&request.uri).map(Into::into)
    }

    async fn set_level(&self, request: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        *self.level.lock() = Some(request.level);
        Ok(())
    }

    async fn subscribe(&self, request: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let mut watched = self.watched.lock();
        if watched.len() >= MAX_WATCHED {
            return Err(ErrorData::invalid_request("too many subscriptions", None));
        }
        watched.insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.lock().remove(&request.uri);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let mut changes = self.world.listen();
        let watched = Arc::clone(&self.watched);
        tokio::spawn(async move {
            loop {
                match changes.recv().await {
                    Ok(change) if !notify_change(&context.peer, &watched, change).await => return,
                    Err(RecvError::Closed) => return,
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                }
            }
        });
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut begun = self.pending_listeners.lock();
        begun.truncate(MAX_WATCHED);
        begun.push_front(self.world.listen());
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let begun = self.pending_listeners.lock().pop_back();
        let mut changes = begun.unwrap_or_else(|| self.world.listen());
        loop {
            let change = tokio::select! {
                change = changes.recv() => change,
                () = context.cancelled() => return Ok(()),
            };
            let sent = match change {
                Ok(FixtureChange::Tools) => context.sink().notify_tool_list_changed().await,
                Ok(FixtureChange::Prompts) => context.sink().notify_prompt_list_changed().await,
                Ok(FixtureChange::Resource(uri)) => context.sink().notify_resource_updated(uri).await,
                Err(RecvError::Lagged(_)) => Ok(()),
                Err(RecvError::Closed) => return Ok(()),
            };
            // The sink rejects notifications that the client did not subscribe to, as intended.
            drop(sent);
        }
    }
}

/// Notifies an older client of a change; returns whether it is still connected.
async fn notify_change(peer: &Peer<RoleServer>, watched: &Mutex<BTreeSet<String>>, change: FixtureChange) -> bool {
    let sent = match change {
        FixtureChange::Tools => peer.notify_tool_list_changed().await,
        FixtureChange::Prompts => peer.notify_prompt_list_changed().await,
        FixtureChange::Resource(uri) if watched.lock().contains(uri) => {
            peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
        }
        FixtureChange::Resource(_) => Ok(()),
    };
    sent.is_ok()
}

//! Agent calls on behalf of a waiting MCP client, with progress notifications.

use crate::{Caller, error_codes, serve::ensure_stream, span::set_attribute};
use baton_ports::{AgentInvoker, AgentReply, AgentRequest};
use baton_rules::MissingScope;
use baton_telemetry::names;
use baton_types::ErrorCode;
use http::request::Parts;
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolResult, ContentBlock, Implementation, ProgressNotificationParam, ProgressToken, ServerCapabilities,
        ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde::Serialize;
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

/// Maximum number of tools listed in an error.
const MAX_LISTED_TOOLS: usize = 20;

/// Public base URL of this Baton, without a trailing slash; the surface puts it into the extensions of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicBaseUrl(pub String);

/// Callback that receives the code and the reason of a refusal.
type RefusalSink = dyn Fn(ErrorCode, &str) + Send + Sync;

/// Receives refusals that are visible only in the result of a call; the surface puts it into the extensions of a
/// request.
#[derive(Clone)]
pub struct RefusalLog(Arc<RefusalSink>);

impl RefusalLog {
    /// A log that passes each refusal to `sink`.
    pub fn new(sink: impl Fn(ErrorCode, &str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(sink))
    }
}

/// Server configuration of a server that only has tools.
pub(crate) fn tool_server(name: &str, title: &str, description: &str, instructions: &str) -> ServerConfig {
    let about = Implementation::new(name, env!("CARGO_PKG_VERSION")).with_title(title).with_description(description);
    ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
        .with_server_info(about)
        .with_instructions(instructions)
}

/// One tool call that invokes an agent.
pub(crate) struct AgentInvocation<'a> {
    pub(crate) caller: Caller,
    context: &'a RequestContext<RoleServer>,
    heartbeat: Duration,
}

impl<'a> AgentInvocation<'a> {
    pub(crate) fn from_context(
        context: &'a RequestContext<RoleServer>,
        heartbeat: Duration,
    ) -> Result<Self, ErrorData> {
        Ok(Self { caller: Caller::from_context(context)?, context, heartbeat })
    }

    /// Result of a call for which the caller lacks a scope.
    pub(crate) fn scope_error(&self, missing: &MissingScope) -> CallToolResult {
        scope_error(self.context, missing)
    }

    /// Base URL at which the caller reached this Baton.
    pub(crate) fn base_url(&self) -> Option<&'a str> {
        base_url(self.context)
    }

    /// Invokes an agent and waits for its reply. An error is a result for the caller's model. Cancelling the call
    /// cancels the work.
    pub(crate) async fn invoke(
        &self,
        invoker: &dyn AgentInvoker,
        ask: AgentRequest,
    ) -> Result<AgentReply, CallToolResult> {
        let agent = ask.agent.clone();
        set_attribute(self.context, names::GEN_AI_AGENT_NAME, agent.as_str().to_owned());
        let pending = invoker.invoke(&self.caller.principal, ask);
        let answered = self.await_with_progress(agent.as_str(), pending).await;
        match answered {
            Some(Ok(reply)) => {
                set_attribute(self.context, names::A2A_TASK_ID, reply.task.to_string());
                set_attribute(self.context, names::GEN_AI_CONVERSATION_ID, reply.context.to_string());
                Ok(reply)
            }
            Some(Err(error)) => Err(error_result(error.code, &error.detail)),
            None => Err(CallToolResult::error(vec![ContentBlock::text(
                "the call was cancelled, and so was the agent's task",
            )])),
        }
    }

    /// Waits for `work` and sends progress meanwhile; `None` if the caller cancelled.
    async fn await_with_progress<T>(&self, agent: &str, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        let token = self.context.meta.get_progress_token();
        let mut beats = interval_at(Instant::now() + self.heartbeat, self.heartbeat);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let telling = async {
            let Some(token) = token else { return std::future::pending().await };
            for beat in 1_u32.. {
                beats.tick().await;
                self.send_progress(token.clone(), beat, agent).await;
            }
        };
        tokio::select! {
            biased;
            () = self.context.ct.cancelled() => None,
            done = &mut work => Some(done),
            () = telling => None,
        }
    }

    async fn send_progress(&self, token: ProgressToken, beat: u32, agent: &str) {
        let progress =
            ProgressNotificationParam::new(token, f64::from(beat)).with_message(format!("{agent} is working"));
        ensure_stream(self.context).await;
        if let Err(error) = self.context.peer.notify_progress(progress).await {
            tracing::debug!(%error, "cannot send a progress notification");
        }
    }
}

/// Result of a call for which the caller lacks a scope; also reported to the refusal log of the surface.
pub(crate) fn scope_error(context: &RequestContext<RoleServer>, missing: &MissingScope) -> CallToolResult {
    let reason = missing.to_string();
    let log = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<RefusalLog>());
    if let Some(RefusalLog(log)) = log {
        log(error_codes::SCOPE_MISSING, &reason);
    }
    error_result(error_codes::SCOPE_MISSING, &reason)
}

/// Base URL at which the caller reached this Baton.
pub(crate) fn base_url(context: &RequestContext<RoleServer>) -> Option<&str> {
    let PublicBaseUrl(base) = context.extensions.get::<Parts>()?.extensions.get()?;
    Some(base)
}

/// Query string of the request URL.
pub(crate) fn query(context: &RequestContext<RoleServer>) -> Option<&str> {
    context.extensions.get::<Parts>()?.uri.query()
}

/// A result with the same value as text and as structured content, for clients that read only one of them.
pub(crate) fn structured_result(value: &impl Serialize) -> CallToolResult {
    let written = serde_json::to_value(value).and_then(|value| Ok((serde_json::to_string_pretty(&value)?, value)));
    match written {
        Ok((text, value)) => {
            let mut result = CallToolResult::structured(value);
            result.content = vec![ContentBlock::text(text)];
            result
        }
        Err(error) => error_result(ErrorCode::INTERNAL, &error.to_string()),
    }
}

/// Error result with the reason and a hint, for the caller's model.
pub(crate) fn error_result(code: ErrorCode, detail: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!("{detail}\n{} [{}]", code.hint, code.code))])
}

/// Unknown tool: a protocol error, because it is a mistake of the client and not of its model.
pub(crate) fn unknown_tool(name: &str, tools: &[Tool]) -> ErrorData {
    let name: String = name.chars().take(128).collect();
    let names: Vec<&str> = tools.iter().take(MAX_LISTED_TOOLS).map(|tool| &*tool.name).collect();
    let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    ErrorData::invalid_params(format!("Unknown tool: {name}; known: {known}"), None)
}

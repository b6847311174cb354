//! `tools/call`: permission check, execution, and attributes on the request's span. It creates no task.

use super::{
    decide::CallDecision,
    handler::Environment,
    relay::Relay,
    results::{failure, limit_size},
    rounds::{InputRounds, RoundStart, RoundState, RoundsOutcome},
    view::{AgentView, ToolOrigin},
};
use crate::{Caller, error_codes, exported, span::set_attribute};
use baton_rules::{Access, check_access};
use baton_telemetry::names;
use baton_toolhost::{CALL_META, TASK_META};
use baton_types::{CallId, ErrorCode, Json, TaskId};
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, InputResponses},
    service::RequestContext,
};
use serde_json::Value;
use std::sync::Arc;

/// One call with its context.
pub(super) struct EnvironmentCall<'a> {
    pub(super) environment: &'a Environment,
    pub(super) context: &'a RequestContext<RoleServer>,
    pub(super) caller: Caller,
    pub(super) capabilities: ClientCapabilities,
    pub(super) view: Arc<AgentView>,
    pub(super) id: CallId,
    pub(super) name: String,
    /// Always a JSON object.
    pub(super) arguments: Value,
    /// The same arguments, for permission decisions and tools of the definition.
    pub(super) json: Json,
}

impl Environment {
    pub(super) async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = Caller::from_context(context)?;
        if let Err(missing) = check_access(&caller.principal, Access::Call, Some(&self.agent.name)) {
            return Err(ErrorData::invalid_request(missing.to_string(), None));
        }
        let view = self.agent.view().await?;
        let CallToolRequestParams { name, arguments, input_responses, request_state, .. } = request;
        let Some(found) = view.find(&name).cloned() else { return Err(self.unknown_tool(&name)) };
        let id = self.call_id(&caller, context).await?;
        let arguments = Value::Object(arguments.unwrap_or_default());
        let call = EnvironmentCall {
            environment: self,
            context,
            capabilities: context.client_capabilities().unwrap_or_default(),
            caller,
            id,
            name: name.into_owned(),
            json: Json::from(arguments.clone()),
            arguments,
            view,
        };
        if let ToolOrigin::Exported = found {
            return call.exported().await.map(CallToolResponse::from);
        }
        set_attribute(context, names::GEN_AI_TOOL_CALL_ID, call.id.as_str().to_owned());
        call.answer(&found, request_state.as_deref(), input_responses.as_ref()).await
    }

    /// Id of a call. A call that a local agent delegated to its callers keeps its id, so that the tool recognizes it.
    /// It is rejected if the caller may not run it, or no longer: then the agent runs it, has its result, or asks about
    /// it.
    async fn call_id(&self, caller: &Caller, context: &RequestContext<RoleServer>) -> Result<CallId, ErrorData> {
        let meta_text = |member: &str| context.meta.get(member).and_then(Value::as_str);
        let (Some(task), Some(call)) = (meta_text(TASK_META), meta_text(CALL_META)) else {
            return Ok(self.agent.next_call());
        };
        let (task, call) = (TaskId::from(task), CallId::from(call));
        match self.agent.ports.invoker.is_client_tool_call(&caller.principal, &task, &call).await {
            Ok(Some(true)) => Ok(call),
            Ok(Some(false)) => {
                let ErrorCode { code, title, hint, .. } = error_codes::CALL_NOT_OPEN;
                Err(ErrorData::invalid_request(format!("{code}: {title}: '{call}' of task '{task}'. {hint}"), None))
            }
            Ok(None) => Ok(self.agent.next_call()),
            Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
        }
    }

    /// Code -32602, as specified; another code would change the HTTP status.
    fn unknown_tool(&self, name: &str) -> ErrorData {
        let name: String = name.chars().take(128).collect();
        let starting: Vec<String> = self
            .agent
            .ports
            .servers
            .statuses(&self.agent.name)
            .into_iter()
            .filter(|server| server.state == baton_ports::ServerState::Starting)
            .map(|server| server.name)
            .collect();
        let message = match starting.as_slice() {
            [] => format!("Unknown tool: {name}"),
            some => format!("Unknown tool: {name} (MCP servers that are still starting: {})", some.join(", ")),
        };
        ErrorData::invalid_params(message, None)
    }
}

impl EnvironmentCall<'_> {
    async fn answer(
        &self,
        found: &ToolOrigin,
        state: Option<&str>,
        responses: Option<&InputResponses>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.view.permission_spec(found) else {
            return self.exported().await.map(CallToolResponse::from);
        };
        let rounds = InputRounds {
            agent: &self.environment.agent,
            caller: &self.caller,
            context: self.context,
            capabilities: &self.capabilities,
            method: "tools/call",
            name: &self.name,
            arguments: &self.arguments,
        };
        let level = self.environment.level(self.context, &self.caller);
        let heartbeat = self.environment.agent.common.limits.heartbeat;
        let mut relay = Relay::new(self.context, level, heartbeat);
        let begin = rounds.begin(state, responses)?;
        if let (RoundStart::Answered(RoundState { handoff: Some(begun), .. }, brought), Some(state)) = (&begin, state) {
            // Permission was checked when the handoff began.
            return Ok(self.response(self.resume_handoff(&rounds, &mut relay, (state, begun), brought).await?));
        }
        let (approved, answers) = match self.decide(&rounds, &mut relay, tool, begin, state).await? {
            CallDecision::Run { approved, answers } => (approved, answers),
            CallDecision::Ask(round) => return rounds.input_required_result(&round).map(CallToolResponse::from),
            CallDecision::Deny(result) => return Ok(result.into()),
        };
        let ended = match found {
            ToolOrigin::Own(at) => self.run_own_tool(*at, &rounds, &mut relay, approved, answers).await?,
            ToolOrigin::Handoff => self.hand_over(&rounds, &mut relay).await?,
            ToolOrigin::Server(tool) => self.run_server_tool(tool, &rounds, &mut relay, approved, answers).await?,
            ToolOrigin::Exported => RoundsOutcome::Done(self.exported().await?),
        };
        Ok(self.response(ended))
    }

    fn response(&self, ended: RoundsOutcome<CallToolResult>) -> CallToolResponse {
        match ended {
            RoundsOutcome::Done(result) => limit_size(result, self.environment.agent.common.limits.max_result).into(),
            RoundsOutcome::InputRequired(questions) => questions.into(),
            RoundsOutcome::Unanswered(reason) => failure(reason).into(),
        }
    }

    async fn exported(&self) -> Result<CallToolResult, ErrorData> {
        let agent = &self.environment.agent;
        let Some(tool) = exported::find(&self.view.resources, &self.name) else {
            return Err(self.environment.unknown_tool(&self.name));
        };
        let arguments = self.arguments.as_object().cloned();
        exported::call(&*agent.ports.invoker, &agent.name, tool, arguments, self.context, agent.common.limits.heartbeat)
            .await
    }
}

//! `prompts/list` and `prompts/get`.

use super::{
    handler::Environment,
    page::{page, sort},
    relay::Relay,
    rounds::{InputRounds, RoundAnswers, RoundStart, RoundsOutcome},
    server_tool::{forward_error, mark_complete, with_answers},
};
use crate::{Caller, error_codes};
use baton_ports::BoxFuture;
use baton_rules::{Access, check_access};
use baton_toolhost::{CallOptions, OfferedPrompt, ServerError, ServerReply};
use baton_types::AgentSpec;
use rmcp::{
    ErrorData, RoleServer,
    model::{
        GetPromptRequestParams, GetPromptResponse, GetPromptResult, JsonObject, ListPromptsResult,
        PaginatedRequestParams, Prompt, PromptArgument, PromptMessage, Role,
    },
    service::RequestContext,
};
use serde_json::Value;

/// The prompt that every agent has; requires permission to manage agents.
pub(super) const SYSTEM_PROMPT: &str = "system_prompt";
/// Argument of the system prompt.
pub(super) const AGENT_NAME: &str = "agent_name";

impl Environment {
    pub(super) async fn prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let caller = Caller::from_context(context)?;
        let Some((spec, _)) = self.agent.current() else { return Err(self.agent.removed_error()) };
        let mut prompts = Vec::new();
        if check_access(&caller.principal, Access::Admin, None).is_ok() {
            prompts.push(system_prompt(&spec));
        }
        for OfferedPrompt { name, mut definition, .. } in self.offered_prompts().await {
            definition.name = name;
            prompts.push(definition);
        }
        sort(&mut prompts);
        let (prompts, next_cursor) = page(&prompts, request.as_ref(), self.agent.common.limits.page_size)?;
        Ok(ListPromptsResult { next_cursor, ..ListPromptsResult::with_all_items(prompts) })
    }

    pub(super) async fn offered_prompts(&self) -> Vec<OfferedPrompt> {
        if self.agent.ports.agents.agent_resources(&self.agent.name).servers.is_empty() {
            return Vec::new();
        }
        self.agent.ports.servers.prompts(&self.agent.name, self.agent.common.limits.list_timeout).await
    }

    pub(super) async fn prompt(
        &self,
        request: GetPromptRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let caller = Caller::from_context(context)?;
        let Some((spec, _)) = self.agent.current() else { return Err(self.agent.removed_error()) };
        if request.name == SYSTEM_PROMPT {
            // Permission to call an agent does not include reading its instructions.
            if let Err(missing) = check_access(&caller.principal, Access::Admin, None) {
                let message = format!("{}: {missing}", error_codes::SCOPE_MISSING.code);
                return Err(ErrorData::invalid_request(message, None));
            }
            return Ok(system_text(&spec, request.arguments.as_ref()).into());
        }
        let offered = self.offered_prompts().await;
        let Some(offered) = offered.into_iter().find(|offered| offered.name == request.name) else {
            let name: String = request.name.chars().take(128).collect();
            return Err(ErrorData::invalid_params(format!("Unknown prompt: {name}"), None));
        };
        let capabilities = context.client_capabilities().unwrap_or_default();
        let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
        let rounds = InputRounds {
            agent: &self.agent,
            caller: &caller,
            context,
            capabilities: &capabilities,
            method: "prompts/get",
            name: &request.name,
            arguments: &arguments,
        };
        let mut relay = Relay::new(context, self.level(context, &caller), self.agent.common.limits.heartbeat);
        let answers = match rounds.begin(request.request_state.as_deref(), request.input_responses.as_ref())? {
            RoundStart::First(answers) => answers,
            RoundStart::Incomplete(round) => return rounds.input_required_result(&round).map(GetPromptResponse::from),
            RoundStart::Answered(round, responses) => Some(RoundAnswers { responses, state: round.state }),
        };
        let options = self.options(context, &caller, &capabilities, &mut relay);
        let options = CallOptions { arguments: request.arguments.clone(), ..options };
        let step = |answers: Option<RoundAnswers>| -> BoxFuture<'_, Result<ServerReply<GetPromptResult>, ErrorData>> {
            Box::pin(self.server_prompt(&offered, with_answers(&options, answers)))
        };
        match rounds.run(&mut relay, false, answers, step).await? {
            RoundsOutcome::Done(result) => Ok(result.into()),
            RoundsOutcome::InputRequired(questions) => Ok(questions.into()),
            RoundsOutcome::Unanswered(reason) => Err(ErrorData::internal_error(reason, None)),
        }
    }

    async fn server_prompt(
        &self,
        offered: &OfferedPrompt,
        options: CallOptions,
    ) -> Result<ServerReply<GetPromptResult>, ErrorData> {
        let OfferedPrompt { server, definition, .. } = offered;
        let got = self.agent.ports.servers.get_prompt(&self.agent.name, server, &definition.name, options).await;
        got.map(|reply| mark_complete(reply, |result| &mut result.result_type)).map_err(|error| match error {
            ServerError::Rejected { error, .. } => forward_error(*error),
            other => ErrorData::internal_error(other.to_string(), None),
        })
    }
}

fn system_prompt(spec: &AgentSpec) -> Prompt {
    let name = PromptArgument::new(AGENT_NAME)
        .with_description("Name of the agent, used if its definition has no prompt")
        .with_required(false);
    Prompt::new(SYSTEM_PROMPT, Some(format!("The system prompt of {}", spec.title)), Some(vec![name]))
        .with_title("System prompt")
}

fn system_text(spec: &AgentSpec, arguments: Option<&JsonObject>) -> GetPromptResult {
    let named = arguments.and_then(|arguments| arguments.get(AGENT_NAME)).and_then(Value::as_str);
    let text = match spec.prompt.trim() {
        "" => format!("You are {}.", named.filter(|name| !name.trim().is_empty()).unwrap_or(&spec.title)),
        _ => spec.prompt.clone(),
    };
    let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
    result.description = Some(format!("The system prompt of {}", spec.title));
    result
}

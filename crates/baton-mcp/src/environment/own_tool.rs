//! Calls of tools of the definition.

use super::{
    approve,
    call::EnvironmentCall,
    relay::{Relay, RelaySender},
    results,
    rounds::{InputRounds, RoundAnswers, RoundsOutcome},
};
use baton_ports::{BoxFuture, SamplingRequest, SamplingResult, ToolHelper, ToolInvocation, ToolOutcome, ToolProgress};
use baton_toolhost::ServerReply;
use baton_types::{
    AnswerAction, Json, QuestionKind, ToolAnswer, ToolAnswers, ToolCall, ToolInputRequest, ToolQuestion, ToolSpec,
};
use rmcp::{
    ErrorData,
    model::{CallToolResult, ElicitRequest, ElicitRequestParams, InputRequest, InputRequests, InputResponses},
};
use serde_json::Value;

impl EnvironmentCall<'_> {
    pub(super) async fn run_own_tool(
        &self,
        at: usize,
        rounds: &InputRounds<'_>,
        relay: &mut Relay,
        approved: bool,
        answers: Option<RoundAnswers>,
    ) -> Result<RoundsOutcome<CallToolResult>, ErrorData> {
        let Some(tool) = self.view.spec.tools.get(at) else {
            return Err(ErrorData::internal_error("the tool no longer exists", None));
        };
        if let Some(validator) = self.view.argument_validator(at)
            && let Err(faults) = validator.check(&self.arguments)
        {
            return Ok(RoundsOutcome::Done(results::failure(wrong_arguments(&self.name, &faults))));
        }
        let arguments = self.json.clone();
        let call = ToolCall { id: self.id.clone(), name: self.name.clone(), arguments };
        let helper = ClientCallHelper(relay.progress_sender());
        let step = |answers: Option<RoundAnswers>| -> BoxFuture<'_, Result<ServerReply<CallToolResult>, ErrorData>> {
            Box::pin(self.own_step(tool, &call, &helper, answers))
        };
        rounds.run(relay, approved, answers, step).await
    }

    async fn own_step(
        &self,
        tool: &ToolSpec,
        call: &ToolCall,
        helper: &ClientCallHelper,
        answers: Option<RoundAnswers>,
    ) -> Result<ServerReply<CallToolResult>, ErrorData> {
        let answers = answers.map(convert_answers);
        let run = ToolInvocation {
            agent: &self.view.spec,
            tool,
            call,
            principal: &self.caller.principal,
            task: None,
            trace: self.caller.trace.as_deref(),
            answers: answers.as_ref(),
            helper,
        };
        match self.environment.agent.ports.tools.call(run).await {
            ToolOutcome::Done(output) => Ok(ServerReply::Done(results::result(&output))),
            ToolOutcome::InputRequired(ToolInputRequest { questions, state }) => match requests(questions) {
                Some(requests) => Ok(ServerReply::InputRequired { requests, state }),
                None => Ok(ServerReply::Done(results::failure(format!(
                    "'{}' asked for a form that MCP clients cannot show.",
                    self.name
                )))),
            },
        }
    }
}

fn wrong_arguments(tool: &str, faults: &str) -> String {
    format!("'{tool}' did not run, because its arguments are invalid: {faults}.")
}

/// Helper for tools called by an MCP client: there is no run, so no model is available.
struct ClientCallHelper(Option<RelaySender>);

impl ToolHelper for ClientCallHelper {
    fn sample(&self, _: SamplingRequest) -> BoxFuture<'_, Result<SamplingResult, String>> {
        let reason = "no model is available: the tool was called by an MCP client, not in a run of the agent";
        Box::pin(std::future::ready(Err(reason.to_owned())))
    }

    fn progress(&self, progress: ToolProgress) {
        if let Some(sender) = &self.0 {
            sender.send_progress(progress);
        }
    }
}

/// Converts the questions of a tool to protocol requests; `None` if one of them cannot be expressed.
fn requests(questions: Vec<ToolQuestion>) -> Option<InputRequests> {
    questions.into_iter().map(request).collect()
}

fn request(question: ToolQuestion) -> Option<(String, InputRequest)> {
    let ToolQuestion { key, message, wants } = question;
    let params = match wants {
        QuestionKind::Approval => return Some((key, approve::confirm(message))),
        QuestionKind::Form { schema } => {
            let requested_schema = schema.read().ok()?;
            ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema }
        }
        QuestionKind::Visit { url } => {
            ElicitRequestParams::UrlElicitationParams { meta: None, message, url, elicitation_id: key.clone() }
        }
    };
    Some((key, InputRequest::Elicitation(ElicitRequest::new(params))))
}

fn convert_answers(answers: RoundAnswers) -> ToolAnswers {
    let RoundAnswers { responses, state } = answers;
    ToolAnswers { answers: convert_responses(responses), state }
}

fn convert_responses(responses: InputResponses) -> Vec<ToolAnswer> {
    let answer = |(key, value): (String, Value)| {
        let action = match value.get("action").and_then(Value::as_str) {
            // The approval form has its own field to decline.
            Some("accept") if key != ToolQuestion::APPROVAL_KEY || approve::is_approved(&value) => AnswerAction::Accept,
            Some("accept" | "decline") => AnswerAction::Decline,
            _ => AnswerAction::Cancel,
        };
        let content = value.get("content").filter(|content| content.is_object()).cloned().map(Json::from);
        ToolAnswer { key, action, content }
    };
    responses.into_iter().map(answer).collect()
}

//! Calls of tools of the agent's MCP servers, forwarded unchanged.

use super::{
    call::EnvironmentCall,
    relay::Relay,
    results,
    rounds::{InputRounds, RoundAnswers, RoundsOutcome},
    view::ServerTool,
};
use baton_ports::BoxFuture;
use baton_toolhost::{CallOptions, ServerError, ServerReply};
use rmcp::{
    ErrorData,
    model::{CallToolResult, ErrorCode, ResultType},
};

impl EnvironmentCall<'_> {
    pub(super) async fn run_server_tool(
        &self,
        tool: &ServerTool,
        rounds: &InputRounds<'_>,
        relay: &mut Relay,
        approved: bool,
        answers: Option<RoundAnswers>,
    ) -> Result<RoundsOutcome<CallToolResult>, ErrorData> {
        let options = CallOptions { arguments: self.arguments.as_object().cloned(), ..self.options(relay) };
        let step = |answers: Option<RoundAnswers>| -> BoxFuture<'_, Result<ServerReply<CallToolResult>, ErrorData>> {
            Box::pin(self.server_step(tool, with_answers(&options, answers)))
        };
        rounds.run(relay, approved, answers, step).await
    }

    fn options(&self, relay: &mut Relay) -> CallOptions {
        self.environment.options(self.context, &self.caller, &self.capabilities, relay)
    }

    async fn server_step(
        &self,
        tool: &ServerTool,
        options: CallOptions,
    ) -> Result<ServerReply<CallToolResult>, ErrorData> {
        let agent = &self.environment.agent;
        match agent.ports.servers.call_tool(&agent.name, &tool.server, &tool.tool, options).await {
            Ok(reply) => Ok(mark_complete(reply, |result| &mut result.result_type)),
            Err(ServerError::Rejected { error, .. }) => Err(forward_error(*error)),
            Err(error) => Ok(ServerReply::Done(results::failure(error.to_string()))),
        }
    }
}

/// The call options with the answers of the client.
pub(super) fn with_answers(options: &CallOptions, answers: Option<RoundAnswers>) -> CallOptions {
    let mut options = options.clone();
    if let Some(RoundAnswers { responses, state }) = answers {
        options.input_responses = Some(responses);
        options.request_state = state;
    }
    options
}

/// Sets `resultType: complete`, which servers of older protocols omit and clients of the newest require; the transport
/// removes it for other clients.
pub(super) fn mark_complete<T>(
    reply: ServerReply<T>,
    result_type: impl FnOnce(&mut T) -> &mut Option<ResultType>,
) -> ServerReply<T> {
    match reply {
        ServerReply::Done(mut result) => {
            result_type(&mut result).get_or_insert(ResultType::COMPLETE);
            ServerReply::Done(result)
        }
        asks @ ServerReply::InputRequired { .. } => asks,
    }
}

/// Error of a server, forwarded unchanged. "Method not found" becomes an internal error: it does not describe this
/// endpoint.
pub(super) fn forward_error(mut error: ErrorData) -> ErrorData {
    if error.code == ErrorCode::METHOD_NOT_FOUND {
        error.code = ErrorCode::INTERNAL_ERROR;
    }
    error
}

//! Approval requests for tool calls.

use baton_types::{AnswerAction, ToolQuestion};
use rmcp::model::{
    BooleanSchema, ElicitRequest, ElicitRequestParams, ElicitationSchema, InputRequest, InputRequests, InputResponses,
    PrimitiveSchemaDefinition,
};
use serde_json::Value;

/// Form fields.
const ALLOW_FIELD: &str = "allow";
const FOR_SESSION_FIELD: &str = "for_session";
/// Maximum number of argument characters shown in the request.
const MAX_ARGUMENT_CHARS: usize = 1000;

/// Approval request; with a session, the answer may apply to the rest of the session.
pub(super) fn question(agent: &str, tool: &str, arguments: &str, has_session: bool) -> InputRequests {
    let message = match display_arguments(arguments) {
        arguments if arguments == "{}" => format!("May the tool '{tool}' of the agent '{agent}' run?"),
        arguments => format!("May the tool '{tool}' of the agent '{agent}' run with {arguments}?"),
    };
    InputRequests::from([(ToolQuestion::APPROVAL_KEY.to_owned(), form(message, has_session))])
}

/// A form with one field to accept or decline.
pub(super) fn confirm(message: String) -> InputRequest {
    form(message, false)
}

fn form(message: String, has_session: bool) -> InputRequest {
    let field = |name: &str, title: &str| {
        let field = BooleanSchema::new().title(title.to_owned()).with_default(false);
        (name.to_owned(), PrimitiveSchemaDefinition::Boolean(field))
    };
    let mut fields = vec![field(ALLOW_FIELD, "Allow this call")];
    if has_session {
        fields.push(field(FOR_SESSION_FIELD, "Do not ask about this tool again in this session"));
    }
    let mut schema = ElicitationSchema::new(fields.into_iter().collect());
    schema.required = Some(vec![ALLOW_FIELD.to_owned()]);
    let params = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema: schema };
    InputRequest::Elicitation(ElicitRequest::new(params))
}

/// The decision in the responses; `None` if no approval was requested.
pub(super) fn decision(responses: &InputResponses) -> Option<AnswerAction> {
    let answer = responses.get(ToolQuestion::APPROVAL_KEY)?;
    let lasts = answer.get("content").and_then(|content| content.get(FOR_SESSION_FIELD)) == Some(&Value::Bool(true));
    Some(match (is_approved(answer), lasts) {
        (true, true) => AnswerAction::AcceptForSession,
        (true, false) => AnswerAction::Accept,
        (false, _) => AnswerAction::Decline,
    })
}

/// Whether an answer to the form is an approval.
pub(super) fn is_approved(answer: &Value) -> bool {
    let accepted = answer.get("action").and_then(Value::as_str) == Some("accept");
    accepted && answer.get("content").and_then(|content| content.get(ALLOW_FIELD)) == Some(&Value::Bool(true))
}

/// Message for a call that needs approval while the client does not support elicitation.
pub(super) fn elicitation_unsupported(tool: &str) -> String {
    format!(
        "'{tool}' did not run: it needs approval, and this MCP client cannot ask for it (it does not support \
         elicitation). Use a client that does, or set the tool's permission to allow in the agent's definition."
    )
}

/// Arguments for display: truncated, with control characters replaced.
fn display_arguments(arguments: &str) -> String {
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    let mut shown: String = arguments.chars().take(MAX_ARGUMENT_CHARS).map(plain).collect();
    if arguments.chars().nth(MAX_ARGUMENT_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

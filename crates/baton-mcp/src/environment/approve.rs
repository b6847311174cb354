//! Asking whether a call may run.

use baton_types::AnswerAction;
use rmcp::model::{
    BooleanSchema, ElicitRequest, ElicitRequestParams, ElicitationSchema, InputRequest, InputRequests, InputResponses,
    PrimitiveSchemaDefinition,
};
use serde_json::Value;

/// The key of the question, which tools cannot ask themselves.
pub(super) const APPROVAL: &str = "baton/approval";
/// The fields of the form.
const ALLOW: &str = "allow";
const FOR_SESSION: &str = "for_session";
/// Most characters of the arguments that the question shows.
const SHOWN: usize = 1000;

/// The question; somebody who has a session may answer for the rest of it.
pub(super) fn question(agent: &str, tool: &str, arguments: &str, has_session: bool) -> InputRequests {
    let message = match shown(arguments) {
        arguments if arguments == "{}" => format!("May the tool '{tool}' of the agent '{agent}' run?"),
        arguments => format!("May the tool '{tool}' of the agent '{agent}' run with {arguments}?"),
    };
    InputRequests::from([(APPROVAL.to_owned(), form(message, has_session))])
}

/// A form with one thing to say yes or no to.
pub(super) fn confirm(message: String) -> InputRequest {
    form(message, false)
}

fn form(message: String, has_session: bool) -> InputRequest {
    let field = |name: &str, title: &str| {
        let field = BooleanSchema::new().title(title.to_owned()).with_default(false);
        (name.to_owned(), PrimitiveSchemaDefinition::Boolean(field))
    };
    let mut fields = vec![field(ALLOW, "Allow this call")];
    if has_session {
        fields.push(field(FOR_SESSION, "Do not ask about this tool again in this session"));
    }
    let mut schema = ElicitationSchema::new(fields.into_iter().collect());
    schema.required = Some(vec![ALLOW.to_owned()]);
    let params = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema: schema };
    InputRequest::Elicitation(ElicitRequest::new(params))
}

/// What somebody decided; nothing when the question was not asked.
pub(super) fn decision(responses: &InputResponses) -> Option<AnswerAction> {
    let answer = responses.get(APPROVAL)?;
    let lasts = answer.get("content").and_then(|content| content.get(FOR_SESSION)) == Some(&Value::Bool(true));
    Some(match (is_yes(answer), lasts) {
        (true, true) => AnswerAction::AcceptForSession,
        (true, false) => AnswerAction::Accept,
        (false, _) => AnswerAction::Decline,
    })
}

/// Whether an answer to the form is a yes.
pub(super) fn is_yes(answer: &Value) -> bool {
    let accepted = answer.get("action").and_then(Value::as_str) == Some("accept");
    accepted && answer.get("content").and_then(|content| content.get(ALLOW)) == Some(&Value::Bool(true))
}

/// Why a call did not run whose client cannot ask anybody.
pub(super) fn nobody_to_ask(tool: &str) -> String {
    format!(
        "'{tool}' did not run: somebody has to allow it first, and this MCP client cannot ask (it does not support \
         elicitation). Use a client that does, or set the tool's permission to allow in the agent's definition."
    )
}

/// Why a call did not run that somebody did not want.
pub(super) fn refused(tool: &str) -> String {
    format!("'{tool}' did not run: the request was declined.")
}

/// The arguments for people: no more than they read, and nothing that plays with their screen.
fn shown(arguments: &str) -> String {
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    let mut shown: String = arguments.chars().take(SHOWN).map(plain).collect();
    if arguments.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

//! Tools that ask the client before they return a result.

use super::{
    call::{FixtureCall, text_result},
    notices::report,
};
use crate::questions::{Answers, InputOutcome, ask, form, roots, sample, text_form};
use rmcp::{
    ErrorData,
    model::{CallToolResponse, ClientCapabilities},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Request state that the client returns in later rounds of a call.
#[derive(Default, Deserialize, Serialize)]
struct Round {
    name: Option<String>,
}

/// Runs a tool of this module; `None` for other tools.
pub(super) async fn call(call: &FixtureCall<'_>) -> Option<Result<CallToolResponse, ErrorData>> {
    let name = || text_form("What is your name?", "name");
    Some(match &*call.request.name {
        "test_sampling" => {
            let prompt = match call.text("prompt") {
                Ok(prompt) => prompt,
                Err(error) => return Some(Err(error)),
            };
            let say = |answers: &Answers| format!("LLM response: {}", answers.sampled_text("answer"));
            ask_one(call, "answer", sample(prompt, 100), say).await
        }
        "test_elicitation" => {
            let message = match call.text("message") {
                Ok(message) => message,
                Err(error) => return Some(Err(error)),
            };
            let say = |answers: &Answers| format!("User response: {}", answers.elicitation_text("person"));
            ask_one(call, "person", form(message, &person()), say).await
        }
        "test_elicitation_sep1034_defaults" => {
            ask_one(call, "form", form("Please review", &defaults()), completed).await
        }
        "test_elicitation_sep1330_enums" => ask_one(call, "form", form("Please choose", &choices()), completed).await,
        "test_input_required_result_elicitation" => ask_one(call, "user_name", name(), greeting).await,
        "test_streaming_elicitation" => match report(call, 50.0).await {
            Ok(()) => ask_one(call, "user_name", name(), greeting).await,
            Err(error) => Err(error),
        },
        "test_input_required_result_sampling" => {
            let say = |answers: &Answers| answers.sampled_text("capital_question");
            ask_one(call, "capital_question", sample("What is the capital of France?", 100), say).await
        }
        "test_input_required_result_list_roots" => {
            let say = |answers: &Answers| format!("The client has {} roots.", answers.roots("client_roots"));
            ask_one(call, "client_roots", roots(), say).await
        }
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            ask_with_state(call).await
        }
        "test_input_required_result_multiple_inputs" => ask_several(call).await,
        "test_input_required_result_multi_round" => ask_in_rounds(call).await,
        "test_input_required_result_capabilities" => ask_supported(call).await,
        "test_missing_capability" => {
            let say = |answers: &Answers| answers.sampled_text("needed");
            ask_one(call, "needed", sample("Anything", 10), say).await
        }
        _ => return None,
    })
}

/// Asks one question without request state.
async fn ask_one(
    call: &FixtureCall<'_>,
    key: &str,
    question: Value,
    say: impl FnOnce(&Answers) -> String,
) -> Result<CallToolResponse, ErrorData> {
    match ask(call.context, call.request.input_responses.as_ref(), [(key, question)], None).await? {
        InputOutcome::Answered(answers) => Ok(text_result(say(&answers)).into()),
        InputOutcome::InputRequired(input_request) => Ok(input_request.into()),
    }
}

/// Asks a question whose answer is valid only together with the request state.
async fn ask_with_state(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    let (world, tool) = (&call.fixture.world, &*call.request.name);
    let opened: Option<Round> = world.open(tool, call.request.request_state.as_deref())?;
    let schema = json!({ "type": "object", "properties": { "ok": { "type": "boolean" } }, "required": ["ok"] });
    let state = world.seal(tool, &Round::default())?;
    let brought = call.request.input_responses.as_ref().filter(|_| opened.is_some());
    match ask(call.context, brought, [("confirm", form("Please confirm", &schema))], Some(state)).await? {
        InputOutcome::Answered(answers) => {
            Ok(text_result(format!("state-ok: {}", answers.elicitation_text("confirm"))).into())
        }
        InputOutcome::InputRequired(input_request) => Ok(input_request.into()),
    }
}

/// Asks three questions of three kinds at once.
async fn ask_several(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    let (world, tool) = (&call.fixture.world, &*call.request.name);
    let opened: Option<Round> = world.open(tool, call.request.request_state.as_deref())?;
    let questions = [
        ("user_name", text_form("What is your name?", "name")),
        ("greeting", sample("Generate a greeting", 50)),
        ("client_roots", roots()),
    ];
    let state = world.seal(tool, &Round::default())?;
    let brought = call.request.input_responses.as_ref().filter(|_| opened.is_some());
    match ask(call.context, brought, questions, Some(state)).await? {
        InputOutcome::Answered(answers) => {
            let (greeting, name) = (answers.sampled_text("greeting"), answers.part("user_name", "/content/name"));
            Ok(text_result(format!("{greeting} {name}, {} roots", answers.roots("client_roots"))).into())
        }
        InputOutcome::InputRequired(input_request) => Ok(input_request.into()),
    }
}

/// Asks a question, then another that depends on its answer.
async fn ask_in_rounds(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    let (world, tool) = (&call.fixture.world, &*call.request.name);
    let opened: Option<Round> = world.open(tool, call.request.request_state.as_deref())?;
    let brought = call.request.input_responses.as_ref();
    let name = if let Some(name) = opened.and_then(|round| round.name) {
        name
    } else {
        let question = text_form("Step 1: What is your name?", "name");
        let state = world.seal(tool, &Round::default())?;
        match ask(call.context, brought, [("step1", question)], Some(state)).await? {
            InputOutcome::Answered(answers) => answers.part("step1", "/content/name"),
            InputOutcome::InputRequired(input_request) => return Ok(input_request.into()),
        }
    };
    let question = text_form("Step 2: What is your favorite color?", "color");
    let state = world.seal(tool, &Round { name: Some(name.clone()) })?;
    match ask(call.context, brought, [("step2", question)], Some(state)).await? {
        InputOutcome::Answered(answers) => {
            let color = answers.part("step2", "/content/color");
            Ok(text_result(format!("{name} likes {color}.")).into())
        }
        InputOutcome::InputRequired(input_request) => Ok(input_request.into()),
    }
}

/// Asks only a question that the client's capabilities support.
async fn ask_supported(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    let capabilities: ClientCapabilities = call.context.client_capabilities().unwrap_or_default();
    if capabilities.sampling.is_some() {
        let say = |answers: &Answers| answers.sampled_text("greeting");
        ask_one(call, "greeting", sample("Generate a greeting", 50), say).await
    } else if capabilities.elicitation.is_some() {
        ask_one(call, "user_name", text_form("What is your name?", "name"), greeting).await
    } else {
        Ok(text_result("The client supports none of the questions.").into())
    }
}

fn greeting(answers: &Answers) -> String {
    format!("Hello, {}!", answers.part("user_name", "/content/name"))
}

fn completed(answers: &Answers) -> String {
    format!("Elicitation completed: {}", answers.elicitation_text("form"))
}

fn person() -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let properties = json!({ "username": text("User's response"), "email": text("User's email address") });
    json!({ "type": "object", "properties": properties, "required": ["username", "email"] })
}

fn defaults() -> Value {
    let properties = json!({
        "name": { "type": "string", "description": "User name", "default": "John Doe" },
        "age": { "type": "integer", "description": "User age", "default": 30 },
        "score": { "type": "number", "description": "User score", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "description": "Verification status", "default": true },
    });
    json!({ "type": "object", "properties": properties, "required": [] })
}

fn choices() -> Value {
    let titled = |noun: &str| {
        let choice = |value: &str, prefix: &str| json!({ "const": value, "title": format!("{prefix} {noun}") });
        json!([choice("value1", "First"), choice("value2", "Second"), choice("value3", "Third")])
    };
    let plain = json!(["option1", "option2", "option3"]);
    let names = json!(["Option One", "Option Two", "Option Three"]);
    let properties = json!({
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": names },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
    });
    json!({ "type": "object", "properties": properties, "required": [] })
}

//! Prompts, and completions of their arguments.

use crate::{
    media::PNG,
    questions::{InputOutcome, ask, text_form},
    shared_state::FixtureState,
};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult, Prompt, PromptArgument,
        PromptMessage, ResourceContents, Role,
    },
    service::RequestContext,
};

/// A prompt that is added and removed at run time.
const DYNAMIC_PROMPT: &str = "test_dynamic_prompt";

/// All current prompts, by name.
pub(crate) fn list(world: &FixtureState) -> Vec<Prompt> {
    let argument =
        |name: &str, description: &str| PromptArgument::new(name).with_description(description).with_required(true);
    let prompt = |name: &str, description: &str, arguments: Vec<PromptArgument>| {
        Prompt::new(name, Some(description), (!arguments.is_empty()).then_some(arguments))
    };
    let mut prompts = vec![
        prompt("test_input_required_result_prompt", "A prompt that asks first", vec![]),
        prompt(
            "test_prompt_with_arguments",
            "A prompt with two arguments",
            vec![argument("arg1", "First test argument"), argument("arg2", "Second test argument")],
        ),
        prompt(
            "test_prompt_with_embedded_resource",
            "A prompt with a resource in it",
            vec![argument("resourceUri", "The resource to embed")],
        ),
        prompt("test_prompt_with_image", "A prompt with a picture in it", vec![]),
        prompt("test_simple_prompt", "A prompt without arguments", vec![]),
    ];
    if world.has_extra_prompt() {
        prompts.insert(0, prompt(DYNAMIC_PROMPT, "A prompt that comes and goes", vec![]));
    }
    prompts
}

/// Renders a prompt with its arguments.
pub(crate) async fn get(
    world: &FixtureState,
    request: &GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let argument = |name: &str| {
        let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name)?.as_str());
        value.ok_or_else(|| ErrorData::invalid_params(format!("The argument {name} is missing"), None))
    };
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![user_text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (first, second) = (argument("arg1")?, argument("arg2")?);
            vec![user_text(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let text = "Embedded resource content for testing.";
            let resource = ResourceContents::text(text, argument("resourceUri")?).with_mime_type("text/plain");
            let resource = PromptMessage::new(Role::User, ContentBlock::resource(resource));
            vec![resource, user_text("Please process the embedded resource above.")]
        }
        "test_prompt_with_image" => {
            let picture = PromptMessage::new(Role::User, ContentBlock::image(PNG, "image/png"));
            vec![picture, user_text("Please analyze the image above.")]
        }
        "test_input_required_result_prompt" => {
            let question = text_form("What context should the prompt use?", "context");
            match ask(context, request.input_responses.as_ref(), [("user_context", question)], None).await? {
                InputOutcome::Answered(answers) => {
                    let answer = answers.part("user_context", "/content/context");
                    vec![user_text(&format!("Prompt with context: {answer}"))]
                }
                InputOutcome::InputRequired(input_request) => return Ok(input_request.into()),
            }
        }
        DYNAMIC_PROMPT if world.has_extra_prompt() => vec![user_text("This prompt comes and goes.")],
        name => return Err(ErrorData::invalid_params(format!("Unknown prompt: {name}"), None)),
    };
    Ok(GetPromptResult::new(messages).into())
}

/// Known values of an argument that start with `typed`.
pub(crate) fn complete(argument: &str, typed: &str) -> Vec<String> {
    let known: &[&str] = match argument {
        "arg1" => &["paris", "park", "party", "test1", "test2"],
        "id" => &["123", "124"],
        _ => &[],
    };
    known.iter().filter(|value| value.starts_with(typed)).map(|&value| value.to_owned()).collect()
}

fn user_text(text: &str) -> PromptMessage {
    PromptMessage::new_text(Role::User, text)
}

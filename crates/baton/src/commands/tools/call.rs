//! `baton tools call`: calls a tool and prompts for missing arguments.

use super::{
    agent_selector::{AgentSelector, parse_wait},
    answers::{self, PresetAnswers},
    result,
};
use crate::{
    connect::{BatonConnection, client_failure},
    error_codes,
    failure::{CliError, Exit},
    form::{InputForm, PromptResult, is_interactive},
    screen::Screen,
};
use baton_api::{AnswerTool, ToolEntry};
use baton_types::{ErrorCode, Json};
use clap::Args;
use std::time::Duration;

/// Options of `baton tools call`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton tools call weather get_weather --arg city=Oakland
  baton tools call files fs__search --json-args '{\"pattern\": \"*.md\", \"limit\": 5}'
  baton tools call files fs__delete --arg path=old.txt --yes        approve the call
  baton tools call booking book --arg day=Tuesday --answer people=2 answer a question of the tool

On a terminal you are asked for missing arguments, field by field, and for answers to questions of
the tool. Without a terminal, missing arguments are an error that shows the form, and a question of
the tool ends the command with exit code 3. If the tool fails, the exit code is 1.")]
pub(super) struct ToolCallOptions {
    #[command(flatten)]
    selector: AgentSelector,
    /// Tool name from `baton tools list`
    tool: String,
    /// Argument; repeatable
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = parse_pair)]
    args: Vec<(String, String)>,
    /// All arguments as a JSON object; --arg overrides single members
    #[arg(long, value_name = "JSON")]
    json_args: Option<String>,
    /// Value for a form that the tool asks for; repeatable
    #[arg(long = "answer", value_name = "NAME=VALUE", value_parser = parse_pair)]
    answers: Vec<(String, String)>,
    /// Allow the call if it requires approval
    #[arg(long, short)]
    yes: bool,
    /// Time to wait for the MCP server of the tool
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_wait)]
    wait: Duration,
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| "expected NAME=VALUE".to_owned())?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

/// Calls the tool and answers its questions.
pub(super) async fn run(options: ToolCallOptions, screen: Screen) -> Result<Exit, CliError> {
    let session = options.selector.session(screen).await?;
    let ended = call(&session, &options, screen).await;
    session.close().await;
    ended
}

async fn call(session: &BatonConnection, options: &ToolCallOptions, screen: Screen) -> Result<Exit, CliError> {
    let ToolCallOptions { selector, tool: name, yes, answers, .. } = options;
    let tool = find_tool(session, options).await?;
    let arguments = match arguments(&tool, options, screen).await? {
        PromptResult::Answered(arguments) => arguments,
        PromptResult::Closed => return Ok(Exit::Interrupted),
    };
    let prepared = PresetAnswers { pairs: answers, yes: *yes };
    let mut reply = session.client.call_tool(&selector.agent, name, &arguments).await.map_err(client_failure)?;
    while !reply.questions.is_empty() {
        let Some(answers) = answers::answer_questions(&reply.questions, prepared, screen).await? else {
            answers::print_questions(&selector.agent, name, &reply, screen);
            return Ok(Exit::InputRequired);
        };
        let answer = AnswerTool { arguments: Some(arguments.clone()), answers, state: reply.state.take() };
        reply = session.client.answer_tool(&selector.agent, name, &answer).await.map_err(client_failure)?;
    }
    result::print_result(&reply, screen)
}

/// Definition of the tool; waits for its MCP server.
async fn find_tool(session: &BatonConnection, options: &ToolCallOptions) -> Result<ToolEntry, CliError> {
    let ToolCallOptions { selector, tool: name, wait, .. } = options;
    let is_it = |tool: &ToolEntry| tool.name == *name;
    let list = selector.tools(session, *wait, |list| list.tools.iter().any(is_it)).await?;
    if let Some(tool) = list.tools.into_iter().find(is_it) {
        return Ok(tool);
    }
    let message = format!("'{}' has no tool '{name}'", selector.agent);
    Err(CliError::new(ErrorCode::TOOL_NOT_FOUND, message).exit(Exit::Usage))
}

/// Arguments from the command line and the terminal.
async fn arguments(
    tool: &ToolEntry,
    options: &ToolCallOptions,
    screen: Screen,
) -> Result<PromptResult<Json>, CliError> {
    let form = InputForm::from_schema(&tool.parameters);
    let wrong = |message: String| {
        print_form(&form, tool, screen);
        CliError::new(error_codes::USAGE, message).hint("Pass arguments with --arg NAME=VALUE or --json-args '{...}'.")
    };
    let object = options.json_args.as_deref().map(Json::parse).transpose();
    let object = object.map_err(|error| wrong(format!("--json-args: {error}")))?;
    let values = form.parse_values(object.as_ref(), &options.args).map_err(|unfit| wrong(unfit.0))?;
    let missing: Vec<String> = form.missing(&values).iter().map(|field| field.name.clone()).collect();
    if missing.is_empty() || is_interactive(screen) {
        return Ok(form.ask_missing(values, screen).await);
    }
    Err(wrong(format!("{} needs {}", tool.name, missing.join(", "))))
}

/// Prints the form to stderr.
fn print_form(form: &InputForm, tool: &ToolEntry, screen: Screen) {
    if screen.is_json() {
        return;
    }
    screen.print_stderr(&format!("{}: {}", tool.name, crate::screen::one_line(&tool.description, 200)));
    for line in form.lines() {
        screen.print_stderr(&line);
    }
}

//! The request that creates a response.

use crate::{
    McpToolRequest, OpenAiError, ParsedInput, RequestRecord,
    caller_servers::check_size,
    chat::ChatResumption,
    fields::{RequestFields, parse_object},
    input::{CallScope, read_input},
    parts::missing_param,
    tools::{RequestTools, tool_choice},
};
use baton_types::{AnswerFormat, CallerServerSpec, Json, RunOptions};
use serde_json::{Map, Value, json};

/// Maximum number of repairs of an answer that does not match the requested format.
const MAX_REPAIRS: u32 = 2;

/// Maximum number of stop sequences per request.
const MAX_STOPS: usize = 4;

/// Maximum length of a stop sequence, in bytes.
const MAX_STOP_BYTES: usize = 1_024;

/// Valid reasoning efforts.
const REASONING_EFFORTS: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/// A parsed and validated request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateResponse {
    /// The model as named by the client; the addressed agent if absent.
    pub model: Option<String>,
    /// Whether the answer is streamed.
    pub stream: bool,
    /// Whether the response runs in the background.
    pub background: bool,
    /// Whether the response can be retrieved later.
    pub store: bool,
    /// The response that this one continues.
    pub previous: Option<String>,
    /// The conversation that this response belongs to.
    pub conversation: Option<String>,
    /// Options of the run; [`CreateResponse::run_options()`] adds the note.
    pub run_options: RunOptions,
    /// Request data to store with the turn.
    pub record: RequestRecord,
    /// The input.
    pub input: ParsedInput,
    /// MCP servers of the request.
    pub mcp: Vec<McpToolRequest>,
    /// The end of a resent chat, which may answer a waiting run.
    pub resumption: Option<ChatResumption>,
}

impl CreateResponse {
    /// Parses a request; its input must contain something to answer.
    pub fn parse(body: &[u8], fresh: &mut dyn FnMut() -> String) -> Result<Self, OpenAiError> {
        let members = parse_object(body)?;
        if RequestFields::new(&members, "").get("input").is_none() {
            return Err(missing_param("input"));
        }
        let create = Self::from_members(&members, fresh)?;
        create.input.check_answerable()?;
        Ok(create)
    }

    /// Parses a request that may have nothing to answer, such as one for token counting.
    pub fn parse_unanswerable(body: &[u8], fresh: &mut dyn FnMut() -> String) -> Result<Self, OpenAiError> {
        Self::from_members(&parse_object(body)?, fresh)
    }

    /// Sets the servers of the request with their discovered tools.
    pub fn set_servers(&mut self, servers: Vec<CallerServerSpec>) -> Result<(), OpenAiError> {
        check_size(&servers)?;
        if let Some(choice) = self.record.tool_choice.as_ref().and_then(|choice| choice.read::<Value>().ok()) {
            self.run_options.tool_choice = tool_choice(&choice, &servers)?;
        }
        self.run_options.servers = servers;
        Ok(())
    }

    /// The run options including the note.
    pub fn run_options(&self) -> RunOptions {
        RunOptions { note: self.record.to_json(), ..self.run_options.clone() }
    }

    pub(crate) fn from_members(
        members: &Map<String, Value>,
        fresh: &mut dyn FnMut() -> String,
    ) -> Result<Self, OpenAiError> {
        let fields = RequestFields::new(members, "");
        if fields.get("prompt").is_some() {
            let detail = "Stored prompts are not supported; send the text as instructions and input.";
            return Err(OpenAiError::invalid("unsupported_parameter", "prompt", detail));
        }
        let (previous, conversation) = (fields.text("previous_response_id")?, conversation(fields)?);
        if previous.is_some() && conversation.is_some() {
            let detail = "Send either previous_response_id or conversation, not both.";
            return Err(OpenAiError::invalid("mutually_exclusive_parameters", "previous_response_id", detail));
        }
        let include = fields.strings("include")?;
        let reach =
            if previous.is_some() || conversation.is_some() { CallScope::Conversation } else { CallScope::Input };
        let shows_images = include.iter().any(|field| field == "message.input_image.image_url");
        let (input, items) = read_input(fields.get("input"), reach, shows_images, fresh)?;
        let tools = RequestTools::read(fields.list("tools")?)?;
        let background = fields.flag("background")?.unwrap_or(false);
        let store = fields.flag("store")?.unwrap_or(true);
        if background && !store {
            let detail = "A background response must be stored; remove store or background.";
            return Err(OpenAiError::invalid("invalid_value", "background", detail));
        }
        let mut note = RequestRecord {
            model: fields.text("model")?.map(str::to_owned),
            instructions: fields.text("instructions")?.map(str::to_owned),
            system: input.system.clone(),
            tools: tools.echo,
            custom: tools.custom,
            unstored: !store,
            background,
            previous: previous.map(str::to_owned),
            conversation: conversation.map(str::to_owned),
            include,
            input: items,
            ..RequestRecord::default()
        };
        let mut run_options = RunOptions {
            instructions: instructions(&note),
            tools: tools.callers,
            journal_deltas: background,
            ..RunOptions::default()
        };
        read_limits(fields, &mut note, &mut run_options)?;
        read_output_options(fields, &mut note, &mut run_options)?;
        Ok(Self {
            model: note.model.clone(),
            stream: fields.flag("stream")?.unwrap_or(false),
            background,
            store,
            previous: note.previous.clone(),
            conversation: note.conversation.clone(),
            run_options,
            record: note,
            input,
            mcp: tools.mcp,
            resumption: None,
        })
    }
}

/// Instructions of the request followed by its system messages.
fn instructions(note: &RequestRecord) -> Option<String> {
    let texts: Vec<&str> = note.instructions.iter().chain(&note.system).map(String::as_str).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn conversation<'a>(fields: RequestFields<'a>) -> Result<Option<&'a str>, OpenAiError> {
    match fields.get("conversation") {
        Some(Value::Object(members)) => match RequestFields::new(members, "conversation.").text("id")? {
            Some(id) => Ok(Some(id)),
            None => Err(missing_param("conversation.id")),
        },
        _ => fields.text("conversation"),
    }
}

/// Limits and sampling parameters.
fn read_limits(
    fields: RequestFields<'_>,
    note: &mut RequestRecord,
    run_options: &mut RunOptions,
) -> Result<(), OpenAiError> {
    note.max_output_tokens = fields.count("max_output_tokens", 16, u32::MAX)?;
    note.max_tool_calls = fields.count("max_tool_calls", 1, u32::MAX)?;
    note.temperature = fields.thousandths("temperature", 2.0)?;
    note.top_p = fields.thousandths("top_p", 1.0)?;
    let penalty = |name| fields.number(name, -2.0, 2.0).map(|value| value.map(|number| json!(number).into()));
    note.presence_penalty = penalty("presence_penalty")?;
    note.frequency_penalty = penalty("frequency_penalty")?;
    note.top_logprobs = fields.count("top_logprobs", 0, 20)?;
    note.safety_identifier = fields.short_text("safety_identifier", 128)?;
    note.prompt_cache_key = fields.short_text("prompt_cache_key", 64)?;
    note.disable_parallel_tool_calls = !fields.flag("parallel_tool_calls")?.unwrap_or(true);
    note.truncation = fields.one_of("truncation", &["auto", "disabled"])?.map(str::to_owned);
    note.metadata = metadata(fields)?;
    fields.text("service_tier")?;
    run_options.max_output_tokens = note.max_output_tokens;
    run_options.max_tool_calls = note.max_tool_calls;
    (run_options.temperature, run_options.top_p) = (note.temperature, note.top_p);
    run_options.stop = stop_texts(fields)?;
    run_options.disable_parallel_tool_calls = note.disable_parallel_tool_calls;
    run_options.no_truncation = note.truncation.as_deref() == Some("disabled");
    Ok(())
}

/// Stop sequences: `stop`, or `stop_sequences` as in other APIs.
fn stop_texts(fields: RequestFields<'_>) -> Result<Vec<String>, OpenAiError> {
    let name = if fields.get("stop").is_some() { "stop" } else { "stop_sequences" };
    let texts = match fields.get(name) {
        Some(Value::String(text)) => vec![text.clone()],
        _ => fields.strings(name)?,
    };
    if texts.len() > MAX_STOPS {
        let detail = format!("'{name}' must have at most {MAX_STOPS} texts.");
        return Err(OpenAiError::invalid("array_above_max_length", name, detail));
    }
    if texts.iter().any(|text| text.is_empty() || text.len() > MAX_STOP_BYTES) {
        let detail = format!("'{name}' must have texts of 1 to {MAX_STOP_BYTES} bytes.");
        return Err(OpenAiError::invalid("invalid_value", name, detail));
    }
    Ok(texts)
}

/// Metadata pairs of a response or a conversation.
pub(crate) fn metadata(fields: RequestFields<'_>) -> Result<Option<Json>, OpenAiError> {
    let Some(pairs) = fields.object("metadata")? else { return Ok(None) };
    let too_many = (pairs.len() > 16).then_some("must have at most 16 pairs");
    let problems = pairs.iter().filter_map(|(key, value)| match value {
        _ if key.chars().count() > 64 => Some("has a key of more than 64 characters"),
        Value::String(text) if text.chars().count() > 512 => Some("has a value of more than 512 characters"),
        Value::String(_) => None,
        _ => Some("must have strings as values"),
    });
    match too_many.into_iter().chain(problems).next() {
        Some(problem) => Err(OpenAiError::invalid("invalid_value", "metadata", format!("'metadata' {problem}."))),
        None => Ok(Some(Value::Object(pairs.clone()).into())),
    }
}

/// Tool choice, reasoning effort and output format.
fn read_output_options(
    fields: RequestFields<'_>,
    note: &mut RequestRecord,
    run_options: &mut RunOptions,
) -> Result<(), OpenAiError> {
    if let Some(choice) = fields.get("tool_choice") {
        run_options.tool_choice = tool_choice(choice, &[])?;
        note.tool_choice = Some(choice.clone().into());
    }
    if let Some(reasoning) = fields.object("reasoning")? {
        let reasoning = RequestFields::new(reasoning, "reasoning.");
        let effort = reasoning.one_of("effort", &REASONING_EFFORTS)?;
        let summary = reasoning.one_of("summary", &["auto", "concise", "detailed"])?;
        run_options.effort = effort.map(str::to_owned);
        note.reasoning = Some(json!({"effort": effort, "summary": summary}).into());
    }
    let Some(text) = fields.object("text")? else { return Ok(()) };
    let text = RequestFields::new(text, "text.");
    let verbosity = text.one_of("verbosity", &["low", "medium", "high"])?;
    let format = match text.object("format")? {
        None => json!({"type": "text"}),
        Some(format) => {
            let (form, echo) = answer_form(RequestFields::new(format, "text.format."))?;
            run_options.answer = form;
            echo
        }
    };
    let mut echo = json!({ "format": format });
    if let Some(verbosity) = verbosity {
        echo["verbosity"] = verbosity.into();
    }
    note.text = Some(echo.into());
    Ok(())
}

/// The output format and its echo; strict clients expect the schema to be null in the echo.
fn answer_form(format: RequestFields<'_>) -> Result<(Option<AnswerFormat>, Value), OpenAiError> {
    let of = |schema: Value| Some(AnswerFormat { schema: schema.into(), repairs: MAX_REPAIRS });
    match format.one_of("type", &["text", "json_object", "json_schema"])? {
        None => Err(missing_param("text.format.type")),
        Some("json_object") => Ok((of(json!({"type": "object"})), json!({"type": "json_object"}))),
        Some("json_schema") => {
            let name = format.text("name")?.ok_or_else(|| missing_param("text.format.name"))?;
            let schema = format.object("schema")?.ok_or_else(|| missing_param("text.format.schema"))?;
            let (description, strict) = (format.text("description")?, format.flag("strict")?.unwrap_or(false));
            let echo = json!({"type": "json_schema", "name": name, "description": description, "schema": null, "strict": strict});
            Ok((of(Value::Object(schema.clone())), echo))
        }
        Some(_) => Ok((None, json!({"type": "text"}))),
    }
}

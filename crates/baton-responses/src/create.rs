//! The request that makes a response.

use crate::{
    Input, McpToolRequest, Note, Refusal,
    chat::Resumption,
    fields::{Fields, object},
    guests::check_size,
    input::{Reach, read_input},
    parts::missing,
    tools::{Tools, tool_choice},
};
use baton_types::{AnswerForm, GuestServer, Json, Wishes};
use serde_json::{Map, Value, json};

/// How often an answer may be repaired that does not have the form that was asked for.
const REPAIRS: u32 = 2;

/// Stop texts of one request.
const MAX_STOPS: usize = 4;

/// Longest stop text, in bytes.
const MAX_STOP_BYTES: usize = 1_024;

/// How much a model can be asked to think.
const EFFORTS: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/// A request that was read and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Create {
    /// Who is asked, as the caller calls it; whoever is addressed when not given.
    pub model: Option<String>,
    /// Whether the answer is streamed.
    pub stream: bool,
    /// Whether nobody waits for the answer.
    pub background: bool,
    /// Whether the response can be asked for later.
    pub store: bool,
    /// The response that this one goes on from.
    pub previous: Option<String>,
    /// The conversation that this is part of.
    pub conversation: Option<String>,
    /// What is wished of the run; its note is filled by [`Create::noted`].
    pub wishes: Wishes,
    /// What has to be found again.
    pub note: Note,
    /// What is said.
    pub input: Input,
    /// MCP servers that the request brings.
    pub mcp: Vec<McpToolRequest>,
    /// The end of a chat that was sent again, which may answer a run that waits.
    pub resumption: Option<Resumption>,
}

impl Create {
    /// Reads a request; there must be something to answer.
    pub fn read(body: &[u8], fresh: &mut dyn FnMut() -> String) -> Result<Self, Refusal> {
        let members = object(body)?;
        if Fields::new(&members, "").get("input").is_none() {
            return Err(missing("input"));
        }
        let create = Self::of(&members, fresh)?;
        create.input.check_answerable()?;
        Ok(create)
    }

    /// Reads a request that need not have anything to answer, such as one whose tokens are counted.
    pub fn read_any(body: &[u8], fresh: &mut dyn FnMut() -> String) -> Result<Self, Refusal> {
        Self::of(&object(body)?, fresh)
    }

    /// Takes the servers that the request brings, with the tools that each was found to have.
    pub fn admit(&mut self, servers: Vec<GuestServer>) -> Result<(), Refusal> {
        check_size(&servers)?;
        if let Some(choice) = self.note.tool_choice.as_ref().and_then(|choice| choice.read::<Value>().ok()) {
            self.wishes.calls = tool_choice(&choice, &servers)?;
        }
        self.wishes.servers = servers;
        Ok(())
    }

    /// The wishes with the note in them.
    pub fn noted(&self) -> Wishes {
        Wishes { note: self.note.to_json(), ..self.wishes.clone() }
    }

    pub(crate) fn of(members: &Map<String, Value>, fresh: &mut dyn FnMut() -> String) -> Result<Self, Refusal> {
        let fields = Fields::new(members, "");
        if fields.get("prompt").is_some() {
            let detail = "No prompts are kept here; send the words as instructions and input.";
            return Err(Refusal::invalid("unsupported_parameter", "prompt", detail));
        }
        let (previous, conversation) = (fields.text("previous_response_id")?, conversation(fields)?);
        if previous.is_some() && conversation.is_some() {
            let detail = "Send either previous_response_id or conversation, not both.";
            return Err(Refusal::invalid("mutually_exclusive_parameters", "previous_response_id", detail));
        }
        let include = fields.words("include")?;
        let reach = if previous.is_some() || conversation.is_some() { Reach::Further } else { Reach::Here };
        let shows_images = include.iter().any(|what| what == "message.input_image.image_url");
        let (input, items) = read_input(fields.get("input"), reach, shows_images, fresh)?;
        let tools = Tools::read(fields.list("tools")?)?;
        let background = fields.flag("background")?.unwrap_or(false);
        let store = fields.flag("store")?.unwrap_or(true);
        if background && !store {
            let detail = "A background response has to be stored; leave store out, or background.";
            return Err(Refusal::invalid("invalid_value", "background", detail));
        }
        let mut note = Note {
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
            ..Note::default()
        };
        let mut wishes = Wishes {
            instructions: instructions(&note),
            tools: tools.callers,
            keeps_text: background,
            ..Wishes::default()
        };
        limits(fields, &mut note, &mut wishes)?;
        shape(fields, &mut note, &mut wishes)?;
        Ok(Self {
            model: note.model.clone(),
            stream: fields.flag("stream")?.unwrap_or(false),
            background,
            store,
            previous: note.previous.clone(),
            conversation: note.conversation.clone(),
            wishes,
            note,
            input,
            mcp: tools.mcp,
            resumption: None,
        })
    }
}

/// The words of the request and of its system messages together.
fn instructions(note: &Note) -> Option<String> {
    let words: Vec<&str> = note.instructions.iter().chain(&note.system).map(String::as_str).collect();
    (!words.is_empty()).then(|| words.join("\n\n"))
}

fn conversation<'a>(fields: Fields<'a>) -> Result<Option<&'a str>, Refusal> {
    match fields.get("conversation") {
        Some(Value::Object(members)) => match Fields::new(members, "conversation.").text("id")? {
            Some(id) => Ok(Some(id)),
            None => Err(missing("conversation.id")),
        },
        _ => fields.text("conversation"),
    }
}

/// How much may be written, called and chosen.
fn limits(fields: Fields<'_>, note: &mut Note, wishes: &mut Wishes) -> Result<(), Refusal> {
    note.max_output_tokens = fields.count("max_output_tokens", 16, u32::MAX)?;
    note.max_tool_calls = fields.count("max_tool_calls", 1, u32::MAX)?;
    note.temperature = fields.thousandths("temperature", 2.0)?;
    note.top_p = fields.thousandths("top_p", 1.0)?;
    let penalty = |name| fields.number(name, -2.0, 2.0).map(|given| given.map(|number| json!(number).into()));
    note.presence_penalty = penalty("presence_penalty")?;
    note.frequency_penalty = penalty("frequency_penalty")?;
    note.top_logprobs = fields.count("top_logprobs", 0, 20)?;
    note.safety_identifier = fields.brief("safety_identifier", 128)?;
    note.prompt_cache_key = fields.brief("prompt_cache_key", 64)?;
    note.one_call_a_turn = !fields.flag("parallel_tool_calls")?.unwrap_or(true);
    note.truncation = fields.one_of("truncation", &["auto", "disabled"])?.map(str::to_owned);
    note.metadata = metadata(fields)?;
    fields.text("service_tier")?;
    wishes.max_output_tokens = note.max_output_tokens;
    wishes.most_calls = note.max_tool_calls;
    (wishes.temperature, wishes.top_p) = (note.temperature, note.top_p);
    wishes.stop = stop_texts(fields)?;
    wishes.one_call_a_turn = note.one_call_a_turn;
    wishes.whole = note.truncation.as_deref() == Some("disabled");
    Ok(())
}

/// Texts before which the answer ends: `stop`, or `stop_sequences` as other services call it.
fn stop_texts(fields: Fields<'_>) -> Result<Vec<String>, Refusal> {
    let name = if fields.get("stop").is_some() { "stop" } else { "stop_sequences" };
    let texts = match fields.get(name) {
        Some(Value::String(text)) => vec![text.clone()],
        _ => fields.words(name)?,
    };
    if texts.len() > MAX_STOPS {
        let detail = format!("'{name}' must have at most {MAX_STOPS} texts.");
        return Err(Refusal::invalid("array_above_max_length", name, detail));
    }
    if texts.iter().any(|text| text.is_empty() || text.len() > MAX_STOP_BYTES) {
        let detail = format!("'{name}' must have texts of 1 to {MAX_STOP_BYTES} bytes.");
        return Err(Refusal::invalid("invalid_value", name, detail));
    }
    Ok(texts)
}

/// Pairs of the caller's, as they are given with responses and conversations.
pub(crate) fn metadata(fields: Fields<'_>) -> Result<Option<Json>, Refusal> {
    let Some(pairs) = fields.object("metadata")? else { return Ok(None) };
    let too_many = (pairs.len() > 16).then_some("must have at most 16 pairs");
    let problems = pairs.iter().filter_map(|(key, value)| match value {
        _ if key.chars().count() > 64 => Some("has a key of more than 64 characters"),
        Value::String(text) if text.chars().count() > 512 => Some("has a value of more than 512 characters"),
        Value::String(_) => None,
        _ => Some("must have strings as values"),
    });
    match too_many.into_iter().chain(problems).next() {
        Some(problem) => Err(Refusal::invalid("invalid_value", "metadata", format!("'metadata' {problem}."))),
        None => Ok(Some(Value::Object(pairs.clone()).into())),
    }
}

/// Which tools are called, how much is thought, and what form the answer has.
fn shape(fields: Fields<'_>, note: &mut Note, wishes: &mut Wishes) -> Result<(), Refusal> {
    if let Some(choice) = fields.get("tool_choice") {
        wishes.calls = tool_choice(choice, &[])?;
        note.tool_choice = Some(choice.clone().into());
    }
    if let Some(reasoning) = fields.object("reasoning")? {
        let reasoning = Fields::new(reasoning, "reasoning.");
        let effort = reasoning.one_of("effort", &EFFORTS)?;
        let summary = reasoning.one_of("summary", &["auto", "concise", "detailed"])?;
        wishes.effort = effort.map(str::to_owned);
        note.reasoning = Some(json!({"effort": effort, "summary": summary}).into());
    }
    let Some(text) = fields.object("text")? else { return Ok(()) };
    let text = Fields::new(text, "text.");
    let verbosity = text.one_of("verbosity", &["low", "medium", "high"])?;
    let format = match text.object("format")? {
        None => json!({"type": "text"}),
        Some(format) => {
            let (form, echo) = answer_form(Fields::new(format, "text.format."))?;
            wishes.answer = form;
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

/// The form of an answer, and how it is shown again: strict readers want the schema to be null there.
fn answer_form(format: Fields<'_>) -> Result<(Option<AnswerForm>, Value), Refusal> {
    let of = |schema: Value| Some(AnswerForm { schema: schema.into(), repairs: REPAIRS });
    match format.one_of("type", &["text", "json_object", "json_schema"])? {
        None => Err(missing("text.format.type")),
        Some("json_object") => Ok((of(json!({"type": "object"})), json!({"type": "json_object"}))),
        Some("json_schema") => {
            let name = format.text("name")?.ok_or_else(|| missing("text.format.name"))?;
            let schema = format.object("schema")?.ok_or_else(|| missing("text.format.schema"))?;
            let (description, strict) = (format.text("description")?, format.flag("strict")?.unwrap_or(false));
            let echo = json!({"type": "json_schema", "name": name, "description": description, "schema": null, "strict": strict});
            Ok((of(Value::Object(schema.clone())), echo))
        }
        Some(_) => Ok((None, json!({"type": "text"}))),
    }
}

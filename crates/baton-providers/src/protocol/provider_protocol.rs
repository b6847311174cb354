//! Everything that differs between protocols.

use crate::{
    ListedModel,
    address::join_path,
    answer::FinalAnswer,
    exchange::{AnswerStream, ChatExchange},
    list,
    names::WireToolNames,
    request::{StructuredOutput, WireToolResult, tool_result},
    schema::SchemaDialect,
};
use baton_ports::{BoxFuture, ModelCall, ModelError, ToolChoice};
use baton_types::ProviderKind;
use genai::chat::{Binary, ContentPart, ReasoningEffort};
use serde_json::{Map, Value};

/// A protocol of model services.
///
/// The parts of a request have the types of the client library, also for protocols that this crate serializes itself.
/// Methods without a default have no common answer.
pub(crate) trait ProviderProtocol: Send + Sync {
    /// Default base address.
    fn default_base(&self, region: Option<&str>) -> Option<String>;

    /// Address of a host that is configured without a scheme.
    fn host_address(&self, host: &str) -> String {
        format!("https://{host}")
    }

    /// Completes a configured base address with this path.
    fn complete_base(&self, address: &str, path: &str) -> String {
        let _ = path;
        address.to_owned()
    }

    /// Path for chat below the base address.
    fn chat_path(&self, model: &str, streaming: bool) -> String;

    /// Endpoint of the model list.
    fn models_url(&self, base: &str) -> String {
        join_path(base, "models")
    }

    /// Header with the key.
    fn key_header(&self, key: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {key}"))
    }

    /// Headers of every request.
    fn fixed_headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Scope of signatures for requests to a host; `None` if requests are not signed.
    fn signing_scope<'a>(&self, host: &'a str, region: Option<&'a str>) -> Option<SigningScope<'a>> {
        let _ = (host, region);
        None
    }

    /// Sends a chat request; the answer is streamed.
    fn stream(&self, exchange: ChatExchange) -> AnswerStream;

    /// Sends a chat request; the answer comes at once.
    fn answer(&self, exchange: ChatExchange) -> BoxFuture<'static, Result<FinalAnswer, ModelError>>;

    /// Protocol, and path below the base address, of a call that this protocol cannot express.
    fn substitute(&self, call: &ModelCall) -> Option<(ProviderKind, &'static str)> {
        let _ = call;
        None
    }

    /// JSON Schema subset of tool arguments and answers.
    fn dialect(&self) -> SchemaDialect;

    /// Addition to a request for an answer that is any JSON object.
    fn json_object(&self, call: &ModelCall) -> StructuredOutput {
        let _ = call;
        StructuredOutput::from_object_instructions()
    }

    /// Addition to a request for an answer that fits a schema.
    fn json_schema(&self, model: &str, call: &ModelCall, schema: &Value) -> StructuredOutput {
        let _ = (model, call);
        StructuredOutput::from_schema_instructions(self.dialect(), schema)
    }

    /// Whether a file of this media type can be sent with its content.
    fn takes_bytes(&self, media: &str) -> bool;

    /// Whether a file of this media type can be sent as an address.
    fn takes_url(&self, media: &str) -> bool {
        let _ = media;
        false
    }

    /// A file that is sent as an address.
    fn url_part(&self, media: &str, url: &str, name: Option<&str>) -> ContentPart {
        ContentPart::Binary(Binary::from_url(media, url, name.map(str::to_owned)))
    }

    /// A tool result, and the parts that must follow all results in a message of their own.
    fn tool_result(&self, result: WireToolResult<'_>) -> (ContentPart, Vec<ContentPart>) {
        tool_result::text_and_images(result)
    }

    /// Layout of messages.
    fn layout(&self) -> MessageLayout {
        MessageLayout::ResultsTogether
    }

    /// Whether the tools of a call are sent.
    fn sends_tools(&self, call: &ModelCall) -> bool {
        let _ = call;
        true
    }

    /// Adds the option for at most one tool call to the request body, if there is one.
    fn forbid_parallel_calls(&self, choice: &ToolChoice, names: &WireToolNames, body: &mut Map<String, Value>) {
        let _ = (choice, names, body);
    }

    /// Sampling options that the model accepts; `thinks` tells whether reasoning is requested.
    fn sampling(&self, model: &str, sampling: SamplingOptions, thinks: bool) -> SamplingOptions {
        let _ = (model, thinks);
        sampling
    }

    /// Whether the model accepts stop sequences; otherwise the run applies them.
    fn takes_stop(&self, model: &str) -> bool {
        let _ = model;
        true
    }

    /// Whether reasoning output is requested; models without reasoning may reject the option.
    fn requests_reasoning(&self, model: &str, thinks: bool) -> bool {
        let _ = (model, thinks);
        true
    }

    /// Reasoning effort in a form that the model accepts.
    fn effort(&self, model: &str, effort: ReasoningEffort, max_output: Option<u32>) -> ReasoningEffort {
        let _ = (model, max_output);
        effort
    }

    /// Effort that adds nothing to a request, for model names that end like an effort level: it keeps the library from
    /// parsing the name.
    fn neutral_effort(&self) -> Option<ReasoningEffort> {
        None
    }

    /// Whether the body contains the model name: the library would strip suffixes such as `-max` and `-high`.
    fn sends_model_name(&self) -> bool {
        false
    }

    /// Whether the answer is complete; some streams end without an error when the connection breaks.
    fn is_complete(&self, answer: &FinalAnswer) -> bool;

    /// Whether calls with the same id are one call.
    fn joins_calls_by_id(&self) -> bool {
        false
    }

    /// Whether unsigned reasoning must be sent back while tool calls are in progress.
    fn replays_unsigned_reasoning(&self) -> bool {
        false
    }

    /// Embeddings, if supported.
    fn embeddings(&self) -> Option<EmbeddingRules> {
        None
    }

    /// Models in an answer of the model list.
    fn parse_models(&self, answer: &Value) -> Vec<ListedModel> {
        list::parse_models(answer)
    }

    /// Recognition of failures.
    fn failure_signs(&self) -> FailureSigns {
        FailureSigns::default()
    }
}

/// Layout of messages in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageLayout {
    /// The results of one turn are one message.
    ResultsTogether,
    /// Every result is a message.
    ResultsSeparate,
    /// Roles alternate; results are messages of the user.
    AlternatingRoles,
}

/// SamplingOptions options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SamplingOptions {
    pub(crate) temperature: Option<f64>,
    pub(crate) top_p: Option<f64>,
}

/// Scope of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SigningScope<'a> {
    pub(crate) region: &'a str,
    pub(crate) service: &'static str,
}

/// Embedding requests.
#[derive(Clone, Copy)]
pub(crate) struct EmbeddingRules {
    /// Path below the base address, for a model.
    pub(crate) path: fn(&str) -> String,
    /// Body of a request, for a model and texts.
    pub(crate) body: fn(&str, &[String]) -> Value,
    /// Vectors of an answer, in the order of the texts.
    pub(crate) parse: fn(&Value) -> Option<Vec<Vec<f32>>>,
}

/// Recognition of failures by their text. Gateways pass on the errors of other services, so the signs of all protocols
/// apply to each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FailureSigns {
    /// Error types inside answers, and the corresponding HTTP statuses.
    pub(crate) statuses: &'static [(&'static str, u16)],
    /// Lowercase texts for a conversation that exceeds the context window.
    pub(crate) too_long: &'static [&'static str],
    /// Texts for an exhausted quota of the account.
    pub(crate) quota: &'static [&'static str],
}

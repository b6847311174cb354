//! All attribute, span and operation names that Baton uses.
//!
//! The GenAI conventions have no stable release, and names still change; this table is the only place to update.

macro_rules! names {
    ($($(#[doc = $doc:literal])? $name:ident = $value:literal;)*) => {
        $(#[doc = concat!("`", $value, "`")] pub const $name: &str = $value;)*
    };
}

names! {
    AGENT_ID = "agent.id";
    AGENT_SESSION_ID = "agent.session_id";
    AGENT_NAME = "agent.name";
    AGENT_TYPE = "agent.type";
    AGENT_MODEL = "agent.model";
    AGENT_VERSION = "agent.version";
    GEN_AI_AGENT_ID = "gen_ai.agent.id";
    GEN_AI_AGENT_NAME = "gen_ai.agent.name";
    GEN_AI_AGENT_TYPE = "gen_ai.agent.type";
    GEN_AI_AGENT_DESCRIPTION = "gen_ai.agent.description";
    GEN_AI_AGENT_VERSION = "gen_ai.agent.version";
    GEN_AI_CONVERSATION_ID = "gen_ai.conversation.id";
    GEN_AI_OPERATION_NAME = "gen_ai.operation.name";
    GEN_AI_PROVIDER_NAME = "gen_ai.provider.name";
    GEN_AI_SYSTEM = "gen_ai.system";
    GEN_AI_REQUEST_MODEL = "gen_ai.request.model";
    GEN_AI_RESPONSE_MODEL = "gen_ai.response.model";
    GEN_AI_RESPONSE_ID = "gen_ai.response.id";
    GEN_AI_RESPONSE_FINISH_REASONS = "gen_ai.response.finish_reasons";
    GEN_AI_USAGE_INPUT_TOKENS = "gen_ai.usage.input_tokens";
    GEN_AI_USAGE_OUTPUT_TOKENS = "gen_ai.usage.output_tokens";
    GEN_AI_USAGE_CACHE_READ = "gen_ai.usage.cache_read.input_tokens";
    GEN_AI_USAGE_REASONING = "gen_ai.usage.reasoning.output_tokens";
    GEN_AI_USAGE_CACHE_CREATION = "gen_ai.usage.cache_creation.input_tokens";
    GEN_AI_USAGE_CACHE_WRITE = "gen_ai.usage.cache_write.input_tokens";
    GEN_AI_TOOL_NAME = "gen_ai.tool.name";
    GEN_AI_TOOL_TYPE = "gen_ai.tool.type";
    GEN_AI_TOOL_CALL_ID = "gen_ai.tool.call.id";
    GEN_AI_TOOL_CALL_ARGUMENTS = "gen_ai.tool.call.arguments";
    GEN_AI_TOOL_CALL_RESULT = "gen_ai.tool.call.result";
    GEN_AI_TRANSFER_TARGET_NAME = "gen_ai.transfer.target.name";
    GEN_AI_TRANSFER_MODE = "gen_ai.transfer.mode";
    GEN_AI_INPUT_MESSAGES = "gen_ai.input.messages";
    GEN_AI_OUTPUT_MESSAGES = "gen_ai.output.messages";
    GEN_AI_SYSTEM_INSTRUCTIONS = "gen_ai.system_instructions";
    GEN_AI_INPUT_MESSAGE_COUNT = "gen_ai.input_message_count";
    GEN_AI_OUTPUT_MESSAGE_COUNT = "gen_ai.output_message_count";
    HANDOFF_ID = "handoff.id";
    HANDOFF_FROM_AGENT = "handoff.from_agent";
    HANDOFF_TO_AGENT = "handoff.to_agent";
    HANDOFF_CAPABILITY_ID = "handoff.capability_id";
    HANDOFF_PRIORITY = "handoff.priority";
    HANDOFF_STATUS = "handoff.status";
    HANDOFF_TIMEOUT_MS = "handoff.timeout_ms";
    HANDOFF_CHANNEL = "handoff.channel";
    HANDOFF_CHANNEL_REASON = "handoff.channel_reason";
    HANDOFF_TASK = "handoff.task";
    HANDOFF_INPUTS = "handoff.inputs";
    HANDOFF_RESULT = "handoff.result";
    HANDOFF_ERROR = "handoff.error";
    PROJECT_ID = "project.id";
    TASK_ID = "task.id";
    TASK_STATE = "task.state";
    RUN_ID = "run.id";
    RUN_TURN = "run.turn";
    RUN_ATTEMPT = "run.attempt";
    RUN_MODEL_CALLS = "run.model_calls";
    RUN_TOOL_CALLS = "run.tool_calls";
    APPROVAL_DECISION = "approval.decision";
    APPROVAL_QUESTIONS = "approval.questions";
    ERROR_TYPE = "error.type";
    ERROR_CODE = "baton.error.code";
    ENDUSER_ID = "enduser.id";
    LINK_RELATIONSHIP = "link.relationship";
    HTTP_REQUEST_METHOD = "http.request.method";
    HTTP_RESPONSE_STATUS_CODE = "http.response.status_code";
    HTTP_ROUTE = "http.route";
    URL_PATH = "url.path";
    URL_FULL = "url.full";
    URL_SCHEME = "url.scheme";
    SERVER_ADDRESS = "server.address";
    SERVER_PORT = "server.port";
    CLIENT_ADDRESS = "client.address";
    USER_AGENT_ORIGINAL = "user_agent.original";
    NETWORK_TRANSPORT = "network.transport";
    NETWORK_PROTOCOL_NAME = "network.protocol.name";
    NETWORK_PROTOCOL_VERSION = "network.protocol.version";
    RPC_SYSTEM = "rpc.system";
    RPC_METHOD = "rpc.method";
    RPC_SERVICE = "rpc.service";
    RPC_RESPONSE_STATUS_CODE = "rpc.response.status_code";
    JSONRPC_REQUEST_ID = "jsonrpc.request.id";
    MCP_METHOD_NAME = "mcp.method.name";
    MCP_PROTOCOL_VERSION = "mcp.protocol.version";
    MCP_SESSION_ID = "mcp.session.id";
    MCP_RESOURCE_URI = "mcp.resource.uri";
    MCP_SERVER_NAME = "mcp.server.name";
    A2A_METHOD_NAME = "a2a.method.name";
    A2A_TASK_ID = "a2a.task.id";
    A2A_TASK_STATE = "a2a.task.state";
    A2A_MESSAGE_ID = "a2a.message.id";
    A2A_PROTOCOL_VERSION = "a2a.protocol.version";
    A2A_TENANT = "a2a.tenant";
    SERVICE_NAME = "service.name";
    SERVICE_VERSION = "service.version";
    SERVICE_INSTANCE_ID = "service.instance.id";
    TELEMETRY_SDK_NAME = "telemetry.sdk.name";
    TELEMETRY_SDK_LANGUAGE = "telemetry.sdk.language";
    FEATURE_FLAG_KEY = "feature_flag.key";
    FEATURE_FLAG_VARIANT = "feature_flag.result.variant";
    FEATURE_FLAG_PROVIDER = "feature_flag.provider_name";
    FEATURE_FLAG_VALUE = "feature_flag.result.value";
    BATON_DECISION = "baton.permission.decision";
    BATON_OUTCOME = "baton.outcome";
    BATON_CUT = "baton.cut";
    CONTEXT_RULES = "baton.context.rules";
    CONTEXT_REFERENCES = "baton.context.references";
    CONTEXT_TOOLS = "baton.context.tools";
    CONTEXT_SCORES = "baton.context.scores";
    CONTEXT_WARNING = "baton.context.warning";
}

/// Values of `gen_ai.operation.name`.
pub mod operation {
    /// Chat completion.
    pub const CHAT: &str = "chat";
    /// Multimodal content generation.
    pub const GENERATE_CONTENT: &str = "generate_content";
    /// Text completion.
    pub const TEXT_COMPLETION: &str = "text_completion";
    /// Text embeddings.
    pub const EMBEDDINGS: &str = "embeddings";
    /// All billable model operations.
    pub const MODEL_CALLS: &[&str] = &[CHAT, GENERATE_CONTENT, TEXT_COMPLETION, EMBEDDINGS];
    /// Run of an agent.
    pub const INVOKE_AGENT: &str = "invoke_agent";
    /// Tool execution.
    pub const EXECUTE_TOOL: &str = "execute_tool";
    /// Emission of an insight.
    pub const INSIGHT_EMIT: &str = "insight.emit";
    /// Handoff of work to another agent.
    pub const HANDOFF_REQUEST: &str = "handoff.request";
}

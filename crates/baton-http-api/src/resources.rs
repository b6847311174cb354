//! Resources of the API: the tags of the OpenAPI document, and the path parameters of their operations.

use baton_http::ApiResource;

pub(crate) const AGENTS: ApiResource = ApiResource::new(
    "agents",
    "Served agents, their definitions, and remote agents",
    &[
        ("agent", AGENT),
        ("rule", "Name of the rule"),
        ("reference", "Name of the reference"),
        ("export", "Name of the exported tool"),
        ("provider", "Id of the model provider"),
        ("server", SERVER),
    ],
);

pub(crate) const TOOLS: ApiResource = ApiResource::new(
    "tools",
    "Tools of an agent, and their permissions",
    &[("agent", AGENT), ("tool", "Name of the tool, as the model uses it"), ("server", SERVER)],
);

pub(crate) const TASKS: ApiResource = ApiResource::new("tasks", "Tasks and their journaled events", &[("task", TASK)]);

pub(crate) const HANDOFFS: ApiResource =
    ApiResource::new("handoffs", "Work given by one agent to another", &[("handoff", "Id of the handoff")]);

pub(crate) const SESSIONS: ApiResource = ApiResource::new(
    "sessions",
    "Conversations: transcripts, settings, forks and files",
    &[("context", "Context id of the session")],
);

pub(crate) const APPROVALS: ApiResource = ApiResource::new(
    "approvals",
    "Tool calls that wait for a person, questions of agents, and the answers to them",
    &[("task", TASK), ("call", "Last part of the approval's id")],
);

pub(crate) const PEERS: ApiResource = ApiResource::new(
    "peers",
    "Notifications of remote agents",
    &[("registration", "Id of the registration that Baton gave the remote agent")],
);

pub(crate) const TOKENS: ApiResource =
    ApiResource::new("tokens", "Access tokens of callers", &[("token", "Id of the token")]);

pub(crate) const HEALTH: ApiResource = ApiResource::new("health", "Probes", &[]);

const AGENT: &str = "Name of the agent";
const SERVER: &str = "Name of the MCP server";
const TASK: &str = "Id of the task";

/// Description of the header `If-Match`.
pub(crate) const IF_MATCH: &str = "ETag of the definition; the request fails with 412 if the definition has changed";
/// Description of the header `ETag`.
pub(crate) const ETAG: &str = "Digest of the definition";

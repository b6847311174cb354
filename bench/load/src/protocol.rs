//! What is spoken with the server: A2A, a binding in one of two versions, MCP in one of two eras, or OpenAI's Responses.

/// What is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// A2A.
    A2a(Protocol),
    /// MCP, over streamable HTTP.
    Mcp(Era),
    /// OpenAI's Responses API.
    Responses,
}

impl Spoken {
    /// What goes by that name, such as `grpc-0.3` or `mcp-2025-11-25`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "mcp-2026-07-28" => Some(Self::Mcp(Era::Modern)),
            "mcp-2025-11-25" => Some(Self::Mcp(Era::Legacy)),
            "responses" => Some(Self::Responses),
            _ => Protocol::named(name).map(Self::A2a),
        }
    }
}

/// Which MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// 2026-07-28: every request stands alone.
    Modern,
    /// 2025-11-25: requests belong to a session.
    Legacy,
}

impl Era {
    /// The version as requests name it.
    pub fn version(self) -> &'static str {
        match self {
            Self::Modern => "2026-07-28",
            Self::Legacy => "2025-11-25",
        }
    }
}

/// How requests travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// JSON-RPC over HTTP/1.1.
    JsonRpc,
    /// HTTP+JSON over HTTP/1.1.
    HttpJson,
    /// gRPC over HTTP/2 without TLS.
    Grpc,
}

/// Which A2A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 1.0.
    V1,
    /// 0.3.
    V03,
}

/// A binding and a version of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// How requests travel.
    pub binding: Binding,
    /// What they mean.
    pub version: Version,
}

impl Protocol {
    /// The usual one.
    pub const JSON_RPC: Self = Self { binding: Binding::JsonRpc, version: Version::V1 };

    /// The protocol of that name, such as `jsonrpc` or `grpc-0.3`.
    pub fn named(name: &str) -> Option<Self> {
        let (binding, version) = match name.strip_suffix("-0.3") {
            Some(binding) => (binding, Version::V03),
            None => (name, Version::V1),
        };
        let binding = match binding {
            "jsonrpc" => Binding::JsonRpc,
            "rest" => Binding::HttpJson,
            "grpc" => Binding::Grpc,
            _ => return None,
        };
        Some(Self { binding, version })
    }

    /// What a reply in JSON calls a completed task.
    pub fn completed(self) -> &'static str {
        match self {
            Self { binding: Binding::JsonRpc, version: Version::V03 } => "completed",
            _ => "TASK_STATE_COMPLETED",
        }
    }
}

impl Version {
    /// The version as the `A2A-Version` header writes it.
    pub fn header(self) -> &'static str {
        match self {
            Self::V1 => "1.0",
            Self::V03 => "0.3",
        }
    }
}

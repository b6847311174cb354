//! Protocols: A2A in three bindings and two versions, MCP in two versions, OpenAI Responses.

/// Protocol of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadProtocol {
    /// A2A.
    A2a(A2aProtocol),
    /// MCP, over streamable HTTP.
    Mcp(McpVersion),
    /// OpenAI's Responses API.
    Responses,
}

impl LoadProtocol {
    /// Parses a protocol name, such as `grpc-0.3` or `mcp-2025-11-25`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "mcp-2026-07-28" => Some(Self::Mcp(McpVersion::Modern)),
            "mcp-2025-11-25" => Some(Self::Mcp(McpVersion::Legacy)),
            "responses" => Some(Self::Responses),
            _ => A2aProtocol::parse(name).map(Self::A2a),
        }
    }
}

/// MCP protocol version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpVersion {
    /// 2026-07-28: requests are independent.
    Modern,
    /// 2025-11-25: requests belong to a session.
    Legacy,
}

impl McpVersion {
    /// Protocol version in requests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Modern => "2026-07-28",
            Self::Legacy => "2025-11-25",
        }
    }
}

/// A2A protocol binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum A2aBinding {
    /// JSON-RPC over HTTP/1.1.
    JsonRpc,
    /// HTTP+JSON over HTTP/1.1.
    HttpJson,
    /// gRPC over HTTP/2 without TLS.
    Grpc,
}

/// A2A version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum A2aVersion {
    /// 1.0.
    V1,
    /// 0.3.
    V03,
}

/// An A2A binding and version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct A2aProtocol {
    /// The binding.
    pub binding: A2aBinding,
    /// The version.
    pub version: A2aVersion,
}

impl A2aProtocol {
    /// The default protocol.
    pub const JSON_RPC: Self = Self { binding: A2aBinding::JsonRpc, version: A2aVersion::V1 };

    /// Parses a protocol name, such as `jsonrpc` or `grpc-0.3`.
    pub fn parse(name: &str) -> Option<Self> {
        let (binding, version) = match name.strip_suffix("-0.3") {
            Some(binding) => (binding, A2aVersion::V03),
            None => (name, A2aVersion::V1),
        };
        let binding = match binding {
            "jsonrpc" => A2aBinding::JsonRpc,
            "rest" => A2aBinding::HttpJson,
            "grpc" => A2aBinding::Grpc,
            _ => return None,
        };
        Some(Self { binding, version })
    }

    /// Name of the completed state in JSON replies.
    pub fn completed(self) -> &'static str {
        match self {
            Self { binding: A2aBinding::JsonRpc, version: A2aVersion::V03 } => "completed",
            _ => "TASK_STATE_COMPLETED",
        }
    }
}

impl A2aVersion {
    /// Value of the `A2A-Version` header.
    pub fn header(self) -> &'static str {
        match self {
            Self::V1 => "1.0",
            Self::V03 => "0.3",
        }
    }
}

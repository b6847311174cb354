//! What is spoken with the server: a binding in one of two versions.

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

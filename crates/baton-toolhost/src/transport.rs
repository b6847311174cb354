//! The transports.

mod expand;
mod http;
mod sse;
mod stdio;

pub use expand::{ExpandError, ExpandedTransport, Variables, expand};
pub(crate) use expand::{is_secret_name, literal_transport};
pub(crate) use http::{DirectCalls, DirectOutcome, PostedReply};
pub use http::{RemoteConnector, RemoteError, RemoteServer, RemoteSettings, needs_login, streamable};
pub use sse::sse;
pub use stdio::{StdioConnector, reap_groups};

//! The transports.

mod expand;
mod http;
mod sse;
mod stdio;

pub(crate) use expand::is_secret_name;
pub use expand::{ExpandError, Expanded, Variables, expand};
pub use http::{Introduce, Remote, RemoteConnect, RemoteError, RemoteSettings, needs_login, streamable};
pub use sse::sse;
pub use stdio::{StdioConnect, reap_groups};

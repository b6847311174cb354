//! The transports.

mod expand;
mod http;
mod sse;
mod stdio;

pub use expand::{ExpandError, Expanded, Variables, expand};
pub(crate) use expand::{as_written, is_secret_name};
pub use http::{Introduce, Remote, RemoteConnect, RemoteError, RemoteSettings, needs_login, streamable};
pub use sse::sse;
pub use stdio::{StdioConnect, reap_groups};

//! The tool host against scripted servers.

mod calls;
mod http_tools;
mod native;

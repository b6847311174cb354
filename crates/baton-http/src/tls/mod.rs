//! Server certificate: loaded from files and reloaded when they change.

mod error;
mod files;
mod reload;

pub use error::TlsError;
pub use files::TlsFiles;
pub use reload::Tls;

//! The certificate that this Baton shows: read from files, and read again when they change.

mod error;
mod files;
mod reload;

pub use error::TlsError;
pub use files::TlsFiles;
pub use reload::Tls;

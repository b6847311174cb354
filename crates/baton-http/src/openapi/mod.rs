//! Described operations, and the OpenAPI 3.1 document that follows from them.
//!
//! A route under `/api/` is mounted with an [`Operation`], which holds its method, path, access and description. Schemas
//! are function pointers until the document is requested for the first time.

mod components;
mod document;
mod operation;
mod reply;
mod resource;
mod show;

pub use document::OpenApiDocument;
pub use operation::Operation;
pub use resource::ApiResource;
pub(crate) use show::mount;

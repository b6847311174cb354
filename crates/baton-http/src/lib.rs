//! The HTTP server that all surfaces share: connections, TLS, host and origin checks, CORS, authentication, body limits,
//! request spans, compression, the operation table and errors.
//!
//! This crate must never know a protocol, the engine or a resource: surfaces mount their routes with [`Routes`], bring
//! their own state, and convert [`baton_api::ApiError`] to their own errors. Every body, header, stream and connection
//! is bounded.
//!
//! Read first: [`HttpContext`] (the shared state), [`Routes`] (mounts handlers with their access), [`Operation`]
//! (describes a route for the OpenAPI document), [`surface`] (puts the layers around the routes), [`serve`] (connections
//! and shutdown), [`HttpOptions`] (the limits).

mod auth;
mod base_url;
pub mod body;
mod cache;
mod compress;
mod context;
mod cors;
mod edge;
pub mod error_codes;
mod error_format;
mod grpc_frame;
mod guard;
pub mod inflate;
mod large_requests;
mod openapi;
mod options;
mod ownership;
mod path_name;
pub mod reply;
mod routes;
mod serve;
mod server;
mod share_pool;
mod telemetry;
mod tls;

pub use auth::{
    AccessOptions, AdminNote, Caller, LimitKey, PrincipalRateLimiter, RESOURCE_METADATA_PATH, RequestOrigin,
    has_owner_token,
};
pub use base_url::base_url;
pub use baton_rules::RateLimit;
pub use body::{BodyReader, BodyShare, ReceivedBody};
pub use cache::{Validators, cacheable};
pub use context::HttpContext;
pub use cors::{CorsError, CorsOrigins};
pub use edge::RequestEdge;
pub use error_format::{ErrorFormat, ErrorFormats, RequestHead, is_grpc, no_such_page};
pub use grpc_frame::check_grpc_frame;
pub use large_requests::LargeRequests;
pub use openapi::{ApiResource, OpenApiDocument, Operation};
pub use options::HttpOptions;
pub use ownership::OwnershipLookup;
pub use path_name::{PathName, invalid_path};
pub use routes::{RouteAccess, RouteAgentSource, RouteEntry, Routes, SurfaceRoutes};
pub use serve::{ServeOptions, serve};
pub use server::{Surface, surface};
pub use share_pool::{SharePermit, ShareRefusal, Shares};
pub use telemetry::RequestSpan;
pub use tls::{Tls, TlsError, TlsFiles};

//! The OpenAPI document: structure, the published copy, and replies that fit their descriptions.

mod checker;
mod document;

pub(crate) use checker::check_response;

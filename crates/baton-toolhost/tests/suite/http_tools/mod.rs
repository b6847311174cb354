//! HTTP tools: argument placement in URLs, and calls of a scripted service.

mod replies;
mod requests;
mod service;
mod spans;
mod template;

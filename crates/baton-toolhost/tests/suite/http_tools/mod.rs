//! HTTP tools: addresses that arguments cannot leave, and calls of a scripted service.

mod replies;
mod requests;
mod service;
mod spans;
mod template;

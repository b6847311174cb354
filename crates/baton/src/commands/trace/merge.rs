//! Merges a trace from several servers.

use crate::{
    connect::{BatonConnection, client_failure},
    failure::CliError,
};
use baton_client::TraceReply;
use serde_json::Value;
use std::collections::HashSet;

/// Adds the spans of the other servers, deduplicated by span id.
pub(super) async fn merge_servers(
    mut reply: TraceReply,
    also: &[String],
    token: Option<&str>,
) -> Result<TraceReply, CliError> {
    let Some(trace) = reply.spans.first().map(|span| span.trace) else { return Ok(reply) };
    for url in also {
        let session = BatonConnection::connect(url, token)?;
        let found = session.client.trace(trace).await;
        session.close().await;
        let found = match found {
            Err(error) if error.refusal().is_some_and(|refusal| refusal.status == 404) => continue,
            found => found.map_err(client_failure)?,
        };
        let known: HashSet<_> = reply.spans.iter().map(|span| span.id).collect();
        reply.spans.extend(found.spans.into_iter().filter(|span| !known.contains(&span.id)));
        reply.body = merge_bodies(&reply.body, &found.body);
        reply.partial |= found.partial;
    }
    Ok(reply)
}

/// Merges two Tempo response bodies: concatenates their `resourceSpans`.
fn merge_bodies(first: &str, second: &str) -> String {
    let (Ok(mut first), Ok(mut second)) = (serde_json::from_str::<Value>(first), serde_json::from_str::<Value>(second))
    else {
        return first.to_owned();
    };
    if let (Some(own), Some(others)) = (
        first.pointer_mut("/trace/resourceSpans").and_then(Value::as_array_mut),
        second.pointer_mut("/trace/resourceSpans").and_then(Value::as_array_mut),
    ) {
        own.append(others);
    }
    first.to_string()
}

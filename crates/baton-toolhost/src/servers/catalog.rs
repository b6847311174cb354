//! The lists of a server, read completely and sanitized.

use super::{
    ServerError,
    connection::ServerConnection,
    definition,
    sanitize::{ListEntry, sanitize_entry},
};
use baton_ports::BoxFuture;
use rmcp::{
    RoleClient,
    model::{PaginatedRequestParams, Prompt, Resource, ResourceTemplate, Tool},
    service::{Peer, ServiceError},
};
use std::sync::Arc;

/// Limits per list of a server.
const MAX_ITEMS: usize = 1000;
const MAX_PAGES: usize = 200;
/// Maximum size of one list, in bytes of JSON.
const MAX_LIST: usize = 16 << 20;
/// Maximum omitted tools named in a status.
const MAX_NAMED: usize = 3;

/// The tools of a server.
#[derive(Debug, Default)]
pub(super) struct ToolCatalog {
    pub(super) tools: Vec<Arc<Tool>>,
    /// Problems with some of the tools.
    pub(super) remarks: Vec<String>,
}

/// Lists and sanitizes the tools.
pub(super) async fn tools(connection: &ServerConnection) -> Result<ToolCatalog, ServerError> {
    if connection.info().capabilities.tools.is_none() {
        return Ok(ToolCatalog::default());
    }
    let (mut listed, left) = read_pages(connection, "tools/list", |peer, cursor| {
        Box::pin(async move {
            let page = peer.list_tools(Some(cursor)).await?;
            Ok((page.tools, page.next_cursor))
        })
    })
    .await?;
    let mut remarks = Vec::new();
    if left.is_truncated {
        remarks.push(format!("only its first {} tools are used", listed.len()));
    }
    if left.oversized_count > 0 {
        remarks.push(format!("{} of its tools are left out: they are too large", left.oversized_count));
    }
    listed.sort_by(|one, other| one.name.cmp(&other.name));
    listed.dedup_by(|one, other| one.name == other.name);
    let mut dropped = Vec::new();
    listed.retain(|tool| match definition::rejection_reason(tool) {
        Some(reason) => {
            let name: String = tool.name.chars().take(64).collect();
            dropped.push(format!("its tool '{name}' is left out: {reason}"));
            false
        }
        None => true,
    });
    let more = dropped.len().saturating_sub(MAX_NAMED);
    remarks.extend(dropped.into_iter().take(MAX_NAMED));
    if more > 0 {
        remarks.push(format!("{more} more of its tools are left out"));
    }
    Ok(ToolCatalog { tools: listed.into_iter().map(Arc::new).collect(), remarks })
}

/// Lists the prompts.
pub(super) async fn prompts(connection: &ServerConnection) -> Result<Vec<Prompt>, ServerError> {
    if connection.info().capabilities.prompts.is_none() {
        return Ok(Vec::new());
    }
    let listed = read_pages(connection, "prompts/list", |peer, cursor| {
        Box::pin(async move {
            let page = peer.list_prompts(Some(cursor)).await?;
            Ok((page.prompts, page.next_cursor))
        })
    });
    Ok(listed.await?.0)
}

/// Lists the resources.
pub(super) async fn resources(connection: &ServerConnection) -> Result<Vec<Resource>, ServerError> {
    if connection.info().capabilities.resources.is_none() {
        return Ok(Vec::new());
    }
    let listed = read_pages(connection, "resources/list", |peer, cursor| {
        Box::pin(async move {
            let page = peer.list_resources(Some(cursor)).await?;
            Ok((page.resources, page.next_cursor))
        })
    });
    Ok(listed.await?.0)
}

/// Lists the resource templates.
pub(super) async fn templates(connection: &ServerConnection) -> Result<Vec<ResourceTemplate>, ServerError> {
    if connection.info().capabilities.resources.is_none() {
        return Ok(Vec::new());
    }
    let listed = read_pages(connection, "resources/templates/list", |peer, cursor| {
        Box::pin(async move {
            let page = peer.list_resource_templates(Some(cursor)).await?;
            Ok((page.resource_templates, page.next_cursor))
        })
    });
    Ok(listed.await?.0)
}

/// A page of a list, with the cursor of the next page.
type CatalogPage<T> = (Vec<T>, Option<String>);

/// Omitted entries of a list.
#[derive(Default)]
struct OmittedEntries {
    /// The list exceeds the limits.
    is_truncated: bool,
    /// Number of entries over the size limit.
    oversized_count: usize,
}

/// Reads all pages of a list within the limits and reports omitted entries. A server without entries of a kind may
/// reject the method as unknown.
async fn read_pages<T: ListEntry>(
    connection: &ServerConnection,
    method: &'static str,
    page: impl for<'a> Fn(
        &'a Peer<RoleClient>,
        PaginatedRequestParams,
    ) -> BoxFuture<'a, Result<CatalogPage<T>, ServiceError>>,
) -> Result<(Vec<T>, OmittedEntries), ServerError> {
    let (mut items, mut cursor, mut total, mut left) = (Vec::new(), None, 0, OmittedEntries::default());
    for _ in 0..MAX_PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let (more, next) =
            match connection.send_short_request(method, params, |params| page(connection.peer(), params)).await {
                Err(ServerError::Rejected { error, .. }) if error.code == rmcp::model::ErrorCode::METHOD_NOT_FOUND => {
                    return Ok((items, left));
                }
                answer => answer?,
            };
        for item in more {
            let Some((item, size)) = sanitize_entry(item) else {
                left.oversized_count += 1;
                continue;
            };
            total += size;
            if items.len() >= MAX_ITEMS || total > MAX_LIST {
                return Ok((items, OmittedEntries { is_truncated: true, ..left }));
            }
            items.push(item);
        }
        match next {
            Some(next) => cursor = Some(next),
            None => return Ok((items, left)),
        }
    }
    Ok((items, OmittedEntries { is_truncated: true, ..left }))
}

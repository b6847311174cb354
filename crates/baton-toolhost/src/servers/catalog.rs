//! What a server offers as tools, read to the end and vetted.

use super::{ServerError, connection::Connection, definition};
use baton_ports::BoxFuture;
use rmcp::{
    RoleClient,
    model::{PaginatedRequestParams, Prompt, Resource, ResourceTemplate, Tool},
    service::{Peer, ServiceError},
};
use std::sync::Arc;

/// Of any kind, per server.
const MAX_ITEMS: usize = 1000;
const MAX_PAGES: usize = 200;
/// Reasons that a status names.
const MAX_NAMED: usize = 3;

/// The tools of a server.
#[derive(Debug, Default)]
pub(super) struct Catalog {
    pub(super) tools: Vec<Arc<Tool>>,
    /// What is wrong with some of them.
    pub(super) remarks: Vec<String>,
}

/// Reads and vets the tools.
pub(super) async fn tools(connection: &Connection) -> Result<Catalog, ServerError> {
    if connection.info().capabilities.tools.is_none() {
        return Ok(Catalog::default());
    }
    let (mut listed, is_cut) = pages(connection, |peer, cursor| {
        Box::pin(async move {
            let page = peer.list_tools(Some(cursor)).await?;
            Ok((page.tools, page.next_cursor))
        })
    })
    .await?;
    let mut remarks = Vec::new();
    if is_cut {
        remarks.push(format!("only its first {MAX_ITEMS} tools are used"));
    }
    listed.sort_by(|one, other| one.name.cmp(&other.name));
    listed.dedup_by(|one, other| one.name == other.name);
    let mut dropped = Vec::new();
    listed.retain(|tool| match definition::refusal(tool) {
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
    Ok(Catalog { tools: listed.into_iter().map(Arc::new).collect(), remarks })
}

/// Reads the prompts.
pub(super) async fn prompts(connection: &Connection) -> Result<Vec<Prompt>, ServerError> {
    if connection.info().capabilities.prompts.is_none() {
        return Ok(Vec::new());
    }
    let listed = pages(connection, |peer, cursor| {
        Box::pin(async move {
            let page = peer.list_prompts(Some(cursor)).await?;
            Ok((page.prompts, page.next_cursor))
        })
    });
    Ok(listed.await?.0)
}

/// Reads the resources.
pub(super) async fn resources(connection: &Connection) -> Result<Vec<Resource>, ServerError> {
    if connection.info().capabilities.resources.is_none() {
        return Ok(Vec::new());
    }
    let listed = pages(connection, |peer, cursor| {
        Box::pin(async move {
            let page = peer.list_resources(Some(cursor)).await?;
            Ok((page.resources, page.next_cursor))
        })
    });
    Ok(listed.await?.0)
}

/// Reads the resource templates.
pub(super) async fn templates(connection: &Connection) -> Result<Vec<ResourceTemplate>, ServerError> {
    if connection.info().capabilities.resources.is_none() {
        return Ok(Vec::new());
    }
    let listed = pages(connection, |peer, cursor| {
        Box::pin(async move {
            let page = peer.list_resource_templates(Some(cursor)).await?;
            Ok((page.resource_templates, page.next_cursor))
        })
    });
    Ok(listed.await?.0)
}

/// Some of a list, and where it goes on.
type Page<T> = (Vec<T>, Option<String>);

/// Follows a list to its end, or to the bound; says whether something was left behind. A server that has nothing of a
/// kind may say so by not knowing the method.
async fn pages<T>(
    connection: &Connection,
    page: impl for<'a> Fn(&'a Peer<RoleClient>, PaginatedRequestParams) -> BoxFuture<'a, Result<Page<T>, ServiceError>>,
) -> Result<(Vec<T>, bool), ServerError> {
    let (mut items, mut cursor) = (Vec::new(), None);
    for _ in 0..MAX_PAGES {
        let (more, next) =
            match connection.soon(page(connection.peer(), PaginatedRequestParams::default().with_cursor(cursor))).await
            {
                Err(ServerError::Refused { error, .. }) if error.code == rmcp::model::ErrorCode::METHOD_NOT_FOUND => {
                    return Ok((items, false));
                }
                answer => answer?,
            };
        items.extend(more);
        if items.len() > MAX_ITEMS {
            items.truncate(MAX_ITEMS);
            return Ok((items, true));
        }
        match next {
            Some(next) => cursor = Some(next),
            None => return Ok((items, false)),
        }
    }
    Ok((items, true))
}

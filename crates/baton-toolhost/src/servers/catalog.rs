//! What a server offers as tools, read to the end and vetted.

use super::{
    ServerError,
    connection::Connection,
    definition,
    vet::{Listed, vetted},
};
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
/// Of one list, in bytes of JSON.
const MAX_LIST: usize = 16 << 20;
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
    let (mut listed, left) = pages(connection, "tools/list", |peer, cursor| {
        Box::pin(async move {
            let page = peer.list_tools(Some(cursor)).await?;
            Ok((page.tools, page.next_cursor))
        })
    })
    .await?;
    let mut remarks = Vec::new();
    if left.more {
        remarks.push(format!("only its first {} tools are used", listed.len()));
    }
    if left.large > 0 {
        remarks.push(format!("{} of its tools are left out: they are too large", left.large));
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
    let listed = pages(connection, "prompts/list", |peer, cursor| {
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
    let listed = pages(connection, "resources/list", |peer, cursor| {
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
    let listed = pages(connection, "resources/templates/list", |peer, cursor| {
        Box::pin(async move {
            let page = peer.list_resource_templates(Some(cursor)).await?;
            Ok((page.resource_templates, page.next_cursor))
        })
    });
    Ok(listed.await?.0)
}

/// Some of a list, and where it goes on.
type Page<T> = (Vec<T>, Option<String>);

/// What of a list is not used.
#[derive(Default)]
struct Left {
    /// It goes on beyond the bounds.
    more: bool,
    /// So many entries are too large.
    large: usize,
}

/// Follows a list to its end, or to the bounds; says what was left behind. A server that has nothing of a
/// kind may say so by not knowing the method.
async fn pages<T: Listed>(
    connection: &Connection,
    method: &'static str,
    page: impl for<'a> Fn(&'a Peer<RoleClient>, PaginatedRequestParams) -> BoxFuture<'a, Result<Page<T>, ServiceError>>,
) -> Result<(Vec<T>, Left), ServerError> {
    let (mut items, mut cursor, mut total, mut left) = (Vec::new(), None, 0, Left::default());
    for _ in 0..MAX_PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let (more, next) = match connection.soon(method, params, |params| page(connection.peer(), params)).await {
            Err(ServerError::Refused { error, .. }) if error.code == rmcp::model::ErrorCode::METHOD_NOT_FOUND => {
                return Ok((items, left));
            }
            answer => answer?,
        };
        for item in more {
            let Some((item, size)) = vetted(item) else {
                left.large += 1;
                continue;
            };
            total += size;
            if items.len() >= MAX_ITEMS || total > MAX_LIST {
                return Ok((items, Left { more: true, ..left }));
            }
            items.push(item);
        }
        match next {
            Some(next) => cursor = Some(next),
            None => return Ok((items, left)),
        }
    }
    Ok((items, Left { more: true, ..left }))
}

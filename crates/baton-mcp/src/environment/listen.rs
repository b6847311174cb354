//! Change notifications: `subscriptions/listen`, and subscriptions of sessions.

use super::{
    agent::EnvironmentAgent, handler::Environment, references, resources::resource_not_found, watch::EnvironmentChange,
};
use rmcp::{ErrorData, Peer, RoleServer, service::SubscriptionContext};
use std::sync::Arc;

/// Maximum number of resources per request.
const MAX_RESOURCES: usize = 256;

impl Environment {
    /// Sends change notifications until the client disconnects.
    pub(super) async fn send_changes(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut watch = self.agent.watch();
        let requested = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        if requested.len() > MAX_RESOURCES {
            let message = format!("one request can subscribe to at most {MAX_RESOURCES} resources");
            return Err(ErrorData::invalid_params(message, None));
        }
        let mut held = Vec::new();
        for uri in &requested {
            if let Ok(Some(server)) = self.subscribe_server(uri).await {
                held.push((server, uri.clone()));
            }
        }
        let sink = context.sink();
        for (_, uri) in &held {
            // The subscription was confirmed to the client before its server subscribed; a change in between may have
            // been missed.
            if sink.notify_resource_updated(uri.clone()).await.is_err() {
                break;
            }
        }
        'changes: loop {
            let changes = tokio::select! {
                changes = watch.next() => changes,
                () = context.cancelled() => break,
            };
            for change in changes {
                let accepted = context.accepted();
                let sent = match change {
                    EnvironmentChange::Tools if accepted.tools_list_changed == Some(true) => {
                        sink.notify_tool_list_changed().await
                    }
                    EnvironmentChange::Prompts if accepted.prompts_list_changed == Some(true) => {
                        sink.notify_prompt_list_changed().await
                    }
                    EnvironmentChange::Resources if accepted.resources_list_changed == Some(true) => {
                        sink.notify_resource_list_changed().await
                    }
                    EnvironmentChange::Updated(uri) if requested.contains(&uri) => {
                        sink.notify_resource_updated(uri).await
                    }
                    _ => Ok(()),
                };
                if sent.is_err() {
                    break 'changes;
                }
            }
        }
        for (server, uri) in held {
            unsubscribe_server(&self.agent, &server, &uri).await;
        }
        Ok(())
    }

    /// Subscribes a session of an older protocol to a resource.
    pub(super) async fn subscribe_session(&self, uri: &str, peer: &Peer<RoleServer>) -> Result<(), ErrorData> {
        let server = self.subscribe_server(uri).await?;
        match self.session.subscribe(uri, server.clone()) {
            Ok(true) => {}
            known_or_full => {
                if let Some(server) = &server {
                    unsubscribe_server(&self.agent, server, uri).await;
                }
                known_or_full?;
            }
        }
        self.session.start_notifications(&self.agent, peer);
        Ok(())
    }

    pub(super) async fn unsubscribe_session(&self, uri: &str) {
        if let Some(Some(server)) = self.session.unsubscribe(uri) {
            unsubscribe_server(&self.agent, &server, uri).await;
        }
    }

    /// Subscribes at the server that has the resource; `None` for references of the agent, which need no server.
    async fn subscribe_server(&self, uri: &str) -> Result<Option<String>, ErrorData> {
        let spec = self.agent.ports.agents.agent(&self.agent.name);
        if spec.is_some_and(|spec| references::find(&spec, uri).is_some()) {
            return Ok(None);
        }
        for server in self.candidate_servers(uri).await {
            match self.agent.ports.servers.subscribe(&self.agent.name, &server, uri).await {
                Ok(()) => return Ok(Some(server)),
                Err(error) => tracing::debug!(%error, "cannot subscribe to a resource at an MCP server"),
            }
        }
        Err(resource_not_found(uri))
    }
}

async fn unsubscribe_server(agent: &Arc<EnvironmentAgent>, server: &str, uri: &str) {
    if let Err(error) = agent.ports.servers.unsubscribe(&agent.name, server, uri).await {
        tracing::debug!(%error, "cannot unsubscribe from a resource at an MCP server");
    }
}

//! Change notifications to clients.

use super::{
    client::{Answers, Client, Notification},
    world::{World, ann, tool},
};
use crate::mcp_client::Era;
use baton_types::{Effects, McpEra, Permission};
use rmcp::{
    model::{ServerNotification, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams},
    service::Subscription,
};

const STYLE: &str = "baton://agents/weather/references/style%20guide";

/// Change notifications of one client, as its era delivers them.
enum ChangeListener {
    Session(Client),
    Subscription { subscription: Subscription, _client: Client },
}

impl ChangeListener {
    async fn open(world: &World, era: Era, resources: &[&str]) -> Self {
        let client = world.client(&ann(), era, Answers::Never).await;
        if era == Era::Legacy {
            for uri in resources {
                client.service.subscribe(SubscribeRequestParams::new(*uri)).await.unwrap();
            }
            // A reply on the session proves that its stream is open.
            client.service.list_all_tools().await.unwrap();
            return Self::Session(client);
        }
        let filter = SubscriptionFilter::builder()
            .tools_list_changed()
            .prompts_list_changed()
            .resources_list_changed()
            .resource_subscriptions(resources.iter().copied())
            .build();
        let subscription = client.service.peer().listen(filter).await.unwrap();
        Self::Subscription { subscription, _client: client }
    }

    async fn next(&mut self) -> Notification {
        match self {
            Self::Session(client) => client.notifications.recv().await.unwrap(),
            Self::Subscription { subscription, .. } => match subscription.next().await.unwrap().unwrap() {
                ServerNotification::ToolListChangedNotification(_) => Notification::Tools,
                ServerNotification::PromptListChangedNotification(_) => Notification::Prompts,
                ServerNotification::ResourceListChangedNotification(_) => Notification::Resources,
                ServerNotification::ResourceUpdatedNotification(updated) => Notification::Updated(updated.params.uri),
                other => unreachable!("{other:?}"),
            },
        }
    }
}

#[tokio::test]
async fn definition_changes_are_notified() {
    for era in Era::ALL {
        let world = World::new();
        let mut listener = ChangeListener::open(&world, era, &[STYLE]).await;
        world.source.edit(|spec| spec.tools.push(tool("new", Effects::Unknown)));
        assert_eq!(listener.next().await, Notification::Tools, "{era:?}");
        world.source.edit(|spec| spec.prompt = "You guess.".to_owned());
        assert_eq!(listener.next().await, Notification::Prompts, "{era:?}");
        world.source.edit(|agent| agent.knowledge.references[0].text = "Be long.".to_owned());
        // The content changed, and with it the listed size.
        assert_eq!(listener.next().await, Notification::Resources, "{era:?}");
        assert_eq!(listener.next().await, Notification::Updated(STYLE.to_owned()), "{era:?}");
        world.source.edit(|agent| agent.knowledge.references.truncate(1));
        assert_eq!(listener.next().await, Notification::Resources, "{era:?}");
    }
}

#[tokio::test]
async fn server_change_notifications_are_forwarded() {
    for upstream in [McpEra::Modern, McpEra::Legacy] {
        for era in Era::ALL {
            let world = World::new();
            world.source.connect(upstream, Permission::Allow);
            let mut listener = ChangeListener::open(&world, era, &["up://static"]).await;
            world.upstream.add_tool("learned").await;
            while listener.next().await != Notification::Tools {}
            world.upstream.wait_for_subscription("up://static").await;
            world.upstream.update("up://static").await;
            while listener.next().await != Notification::Updated("up://static".to_owned()) {}
        }
    }
}

#[tokio::test]
async fn subscriptions_end_with_the_session() {
    let world = World::new();
    world.source.connect(McpEra::Legacy, Permission::Allow);
    let client = world.client(&ann(), Era::Legacy, Answers::Never).await;
    let subscribed = || world.upstream.subscribed.lock().unwrap().clone();
    client.service.subscribe(SubscribeRequestParams::new("up://static")).await.unwrap();
    client.service.subscribe(SubscribeRequestParams::new("up://static")).await.unwrap();
    assert_eq!(subscribed(), ["up://static"]);
    client.service.unsubscribe(UnsubscribeRequestParams::new("up://static")).await.unwrap();
    assert!(subscribed().is_empty());
    client.service.subscribe(SubscribeRequestParams::new("up://items/1")).await.unwrap();
    assert_eq!(subscribed(), ["up://items/1"]);
    let missing = client.service.subscribe(SubscribeRequestParams::new("baton://agents/weather/references/none")).await;
    assert!(missing.is_err() || subscribed().len() == 2);
    client.service.cancel().await.unwrap();
    while subscribed().contains(&"up://items/1".to_owned()) || world.common.sessions.session_count() > 0 {
        tokio::task::yield_now().await;
    }
}

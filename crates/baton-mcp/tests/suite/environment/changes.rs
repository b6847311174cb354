//! Clients hear of changes.

use super::{
    client::{Answers, Client, Told},
    world::{World, ann, tool},
};
use crate::line::Era;
use baton_types::{Effects, McpEra, Permission};
use rmcp::{
    model::{ServerNotification, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams},
    service::Subscription,
};

const STYLE: &str = "baton://agents/weather/references/style%20guide";

/// What one client hears, in the way of its era.
enum Ear {
    Session(Client),
    Subscription { heard: Subscription, _client: Client },
}

impl Ear {
    async fn open(world: &World, era: Era, resources: &[&str]) -> Self {
        let client = world.client(&ann(), era, Answers::Never).await;
        if era == Era::Legacy {
            for uri in resources {
                client.service.subscribe(SubscribeRequestParams::new(*uri)).await.unwrap();
            }
            // One answer on the session shows that it listens.
            client.service.list_all_tools().await.unwrap();
            return Self::Session(client);
        }
        let filter = SubscriptionFilter::builder()
            .tools_list_changed()
            .prompts_list_changed()
            .resources_list_changed()
            .resource_subscriptions(resources.iter().copied())
            .build();
        let heard = client.service.peer().listen(filter).await.unwrap();
        Self::Subscription { heard, _client: client }
    }

    async fn next(&mut self) -> Told {
        match self {
            Self::Session(client) => client.told.recv().await.unwrap(),
            Self::Subscription { heard, .. } => match heard.next().await.unwrap().unwrap() {
                ServerNotification::ToolListChangedNotification(_) => Told::Tools,
                ServerNotification::PromptListChangedNotification(_) => Told::Prompts,
                ServerNotification::ResourceListChangedNotification(_) => Told::Resources,
                ServerNotification::ResourceUpdatedNotification(updated) => Told::Updated(updated.params.uri),
                other => unreachable!("{other:?}"),
            },
        }
    }
}

#[tokio::test]
async fn changed_definitions_are_told() {
    for era in Era::ALL {
        let world = World::new();
        let mut ear = Ear::open(&world, era, &[STYLE]).await;
        world.source.edit(|spec| spec.tools.push(tool("new", Effects::Unknown)));
        assert_eq!(ear.next().await, Told::Tools, "{era:?}");
        world.source.edit(|spec| spec.prompt = "You guess.".to_owned());
        assert_eq!(ear.next().await, Told::Prompts, "{era:?}");
        world.source.edit(|agent| agent.knowledge.references[0].text = "Be long.".to_owned());
        // What is in it changed, and with it its size.
        assert_eq!(ear.next().await, Told::Resources, "{era:?}");
        assert_eq!(ear.next().await, Told::Updated(STYLE.to_owned()), "{era:?}");
        world.source.edit(|agent| agent.knowledge.references.truncate(1));
        assert_eq!(ear.next().await, Told::Resources, "{era:?}");
    }
}

#[tokio::test]
async fn what_servers_tell_is_passed_on() {
    for upstream in [McpEra::Modern, McpEra::Legacy] {
        for era in Era::ALL {
            let world = World::new();
            world.source.connect(upstream, Permission::Allow);
            let mut ear = Ear::open(&world, era, &["up://static"]).await;
            world.upstream.learn("learned").await;
            while ear.next().await != Told::Tools {}
            world.upstream.is_watched("up://static").await;
            world.upstream.update("up://static").await;
            while ear.next().await != Told::Updated("up://static".to_owned()) {}
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

use baton_sdk::manage::{AgentItem, AgentName, CreateAgent, ItemKind, Manager, Who, item_put};
use baton_sdk::{Error, Running};

/// Makes an agent that answers at once, and teaches it a rule.
pub(crate) async fn make_bob(running: &Running) -> Result<AgentName, Error> {
    let manager: Manager = running.manager();
    let wish = CreateAgent {
        name: Some("bob".to_owned()),
        description: Some("Says hello".to_owned()),
        prompt: Some("You are Bob. Be kind.".to_owned()),
        playbook: Some("rules: [{ when: { system: 'Be kind' }, say: 'Good day!' }, { say: 'Hello.' }]".to_owned()),
        ..CreateAgent::default()
    };
    let bob = manager.create(wish, Who::Owner).await?.name;
    let tone = AgentItem { name: "tone".to_owned(), text: Some("Use few words.".to_owned()), ..AgentItem::default() };
    manager.change(&bob, Who::Owner, None, |now| Ok(vec![item_put(now, ItemKind::Rule, &tone)?])).await?;
    Ok(bob)
}

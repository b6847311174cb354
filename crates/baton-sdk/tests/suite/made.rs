use baton_sdk::manage::{AgentItem, AgentName, CreateAgent, ItemKind, ManageRole, Manager, item_put};
use baton_sdk::{BatonServer, Error};

/// Makes an agent that answers at once, and teaches it a rule.
pub(crate) async fn make_bob(running: &BatonServer) -> Result<AgentName, Error> {
    let manager: Manager = running.manager();
    let wish = CreateAgent {
        name: Some("bob".to_owned()),
        description: Some("Says hello".to_owned()),
        prompt: Some("You are Bob. Be kind.".to_owned()),
        playbook: Some("rules: [{ when: { system: 'Be kind' }, say: 'Good day!' }, { say: 'Hello.' }]".to_owned()),
        ..CreateAgent::default()
    };
    let bob = manager.create(wish, ManageRole::Owner).await?.name;
    let tone = AgentItem { name: "tone".to_owned(), text: Some("Use few words.".to_owned()), ..AgentItem::default() };
    manager.change(&bob, ManageRole::Owner, None, |now| Ok(vec![item_put(now, ItemKind::Rule, &tone)?])).await?;
    Ok(bob)
}

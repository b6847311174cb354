//! Removal of agents, shared by `baton agents remove` and `baton agents delete`.

use crate::{
    commands::place::Place,
    connect::failure,
    failure::{Exit, Failure},
    screen::Screen,
};
use baton_wire::api::AgentDetails;
use serde_json::json;

/// Removes an agent unless `objection` fails for its current details, and reports it with the verb `word`.
pub(super) async fn run(
    place: &Place,
    name: &str,
    word: &str,
    objection: impl FnOnce(Result<AgentDetails, Failure>) -> Result<(), Failure>,
    screen: Screen,
) -> Result<Exit, Failure> {
    let session = place.manage().await?;
    let gone = async {
        objection(session.client.agent(name).await.map_err(failure))?;
        session.client.remove_agent(name).await.map_err(failure)
    };
    let gone = gone.await;
    session.close().await;
    let gone = gone?;
    match screen.is_json() {
        true => screen.print(&json!(gone).to_string()),
        false => screen.say(&format!("{word} {}", gone.name)),
    }
    Ok(Exit::Ok)
}

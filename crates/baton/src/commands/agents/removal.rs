//! Removal of agents, shared by `baton agents remove` and `baton agents delete`.

use crate::{
    commands::connection_options::ConnectionOptions,
    connect::client_failure,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_wire::api::AgentDetails;
use serde_json::json;

/// Removes an agent unless `objection` fails for its current details, and reports it with the verb `word`.
pub(super) async fn run(
    place: &ConnectionOptions,
    name: &str,
    word: &str,
    objection: impl FnOnce(Result<AgentDetails, CliError>) -> Result<(), CliError>,
    screen: Screen,
) -> Result<Exit, CliError> {
    let session = place.management_session().await?;
    let gone = async {
        objection(session.client.agent(name).await.map_err(client_failure))?;
        session.client.remove_agent(name).await.map_err(client_failure)
    };
    let gone = gone.await;
    session.close().await;
    let gone = gone?;
    match screen.is_json() {
        true => screen.print(&json!(gone).to_string()),
        false => screen.print_stderr(&format!("{word} {}", gone.name)),
    }
    Ok(Exit::Ok)
}

//! Removal of agents, shared by `baton agents remove` and `baton agents delete`.

use crate::{
    commands::connection_options::ConnectionOptions,
    connect::client_failure,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_api::AgentDetails;
use serde_json::json;

/// Removes an agent unless `objection` fails for its current details, and reports it with the verb `verb`.
pub(super) async fn run(
    connection: &ConnectionOptions,
    name: &str,
    verb: &str,
    objection: impl FnOnce(Result<AgentDetails, CliError>) -> Result<(), CliError>,
    screen: Screen,
) -> Result<Exit, CliError> {
    let session = connection.management_session().await?;
    let removed_agent = async {
        objection(session.client.agent(name).await.map_err(client_failure))?;
        session.client.remove_agent(name).await.map_err(client_failure)
    };
    let removed_agent = removed_agent.await;
    session.close().await;
    let removed_agent = removed_agent?;
    match screen.is_json() {
        true => screen.print(&json!(removed_agent).to_string()),
        false => screen.print_stderr(&format!("{verb} {}", removed_agent.name)),
    }
    Ok(Exit::Ok)
}

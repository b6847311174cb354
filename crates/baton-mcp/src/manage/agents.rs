//! Operations on whole agents: list, show, create, copy, delete, and access to their cards, settings and prompts.

use super::{
    arguments::{ManageArguments, invalid_argument},
    server::{ManageCall, ManageServer},
    verbs::ManageOperation,
};
use baton_api::{AgentDetails, AgentProviderInfo, ChangeAgent, CloneAgent, CreateAgent, SessionSettingsBody};
use baton_manage::{Definition, ManageError, definition, metadata_change, settings, settings_change, storage_info};
use baton_types::AgentChange;
use serde_json::{Value, json};

impl ManageServer {
    /// Performs an operation that is not about a part of an agent.
    pub(super) async fn run_agent_operation(
        &self,
        verb: ManageOperation,
        call: &ManageCall<'_>,
        mut arguments: ManageArguments,
    ) -> Result<Value, ManageError> {
        match verb {
            ManageOperation::List => Ok(self.list()),
            ManageOperation::Create => self.create(call, arguments).await,
            ManageOperation::Clone => {
                let original = arguments.required_text("sourceAgent")?.into();
                let (name, title) = (arguments.required_text("targetPath")?, arguments.text("newName"));
                let copy = CloneAgent { name, title, keep: arguments.flag("keep") };
                details(call, &self.manager.copy(&original, &copy).await?)
            }
            ManageOperation::Delete => {
                if arguments.flag("confirm") != Some(true) {
                    return Err(invalid_argument("an agent is deleted only with confirm: true".to_owned()));
                }
                let (agent, digest) = (arguments.agent()?, arguments.digest());
                let location = self.manager.delete(&agent, digest.as_ref()).await?;
                Ok(json!({"success": true, "agentTarget": agent, "kept": storage_info(&location)}))
            }
            ManageOperation::UpdateSettings | ManageOperation::SetPrompt | ManageOperation::UpdateMetadata => {
                self.update(verb, call, arguments).await
            }
            _ => {
                let agent = arguments.agent()?;
                shown(verb, call, &self.manager.definition(&agent).await?)
            }
        }
    }

    fn list(&self) -> Value {
        let here = self.agents.listings();
        let agents = here.iter().filter(|agent| !agent.is_peer()).map(|agent| {
            json!({
                "agentTarget": agent.name,
                "name": agent.title,
                "description": agent.description,
                "version": agent.version,
            })
        });
        json!({"agents": agents.collect::<Vec<_>>()})
    }

    async fn create(&self, call: &ManageCall<'_>, mut arguments: ManageArguments) -> Result<Value, ManageError> {
        let body = CreateAgent {
            name: arguments.text("agentPath"),
            title: Some(arguments.required_text("name")?),
            description: arguments.text("description"),
            autonomous: arguments.flag("autonomous"),
            settings: arguments.member("initialSettings")?,
            prompt: arguments.text("initialPrompt"),
            playbook: arguments.text("playbook"),
            keep: arguments.flag("keep"),
            ..CreateAgent::default()
        };
        details(call, &self.manager.create(body, call.role).await?)
    }

    async fn update(
        &self,
        verb: ManageOperation,
        call: &ManageCall<'_>,
        mut arguments: ManageArguments,
    ) -> Result<Value, ManageError> {
        let (agent, digest) = (arguments.agent()?, arguments.digest());
        let change = match verb {
            ManageOperation::SetPrompt => Some(AgentChange::Prompt(arguments.required_text("prompt")?)),
            ManageOperation::UpdateSettings => {
                arguments.member::<SessionSettingsBody>("settings")?.as_ref().map(settings_change).transpose()?
            }
            _ => arguments.member::<ChangeAgent>("metadata")?.as_ref().and_then(metadata_change),
        };
        let change = change.ok_or_else(|| invalid_argument("specify at least one change".to_owned()))?;
        let changed = self.manager.change(&agent, call.role, digest.as_ref(), |_| Ok(vec![change.clone()])).await?;
        let look = match verb {
            ManageOperation::SetPrompt => ManageOperation::Prompt,
            ManageOperation::UpdateSettings => ManageOperation::Settings,
            _ => ManageOperation::Metadata,
        };
        shown(look, call, &changed.after)
    }
}

/// The part of a definition that an operation shows.
fn shown(verb: ManageOperation, call: &ManageCall<'_>, of: &Definition) -> Result<Value, ManageError> {
    let digest = of.digest.to_string();
    Ok(match verb {
        ManageOperation::Settings => json!({"settings": settings(&of.agent), "digest": digest}),
        ManageOperation::Prompt => json!({"prompt": of.agent.prompt, "digest": digest}),
        ManageOperation::Metadata => json!({"metadata": metadata(of), "digest": digest}),
        _ => return details(call, of),
    })
}

/// Card metadata, in the form in which it is updated.
fn metadata(of: &Definition) -> ChangeAgent {
    let about = &of.agent.about;
    let maker = about.provider.as_ref();
    ChangeAgent {
        title: Some(of.agent.title.clone()),
        description: Some(of.agent.description.clone()),
        version: Some(of.agent.version.clone()),
        provider: maker
            .map(|maker| AgentProviderInfo { organization: maker.organization.clone(), url: maker.url.clone() }),
        icon_url: about.icon_url.clone(),
        documentation_url: about.documentation_url.clone(),
        autonomous: Some(of.agent.autonomous),
        ..ChangeAgent::default()
    }
}

/// The whole agent, without secrets.
fn details(call: &ManageCall<'_>, of: &Definition) -> Result<Value, ManageError> {
    let details = AgentDetails {
        definition: Some(Box::new(definition(of))),
        ..AgentDetails::from_spec(&of.agent, call.base.unwrap_or_default())
    };
    let mut shown = serde_json::to_value(&details).map_err(|error| invalid_argument(error.to_string()))?;
    shown["agentTarget"] = of.name.as_str().into();
    Ok(shown)
}

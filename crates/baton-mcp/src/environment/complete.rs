//! `completion/complete`: forwarded to the server that has the prompt or the template.

use super::{
    handler::Environment,
    prompts::{AGENT_NAME, SYSTEM_PROMPT},
    server_tool::forward_error,
};
use baton_toolhost::ServerError;
use rmcp::{
    ErrorData,
    model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference, ResultType},
};

impl Environment {
    pub(super) async fn completion(&self, mut request: CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
        let server = match &mut request.r#ref {
            Reference::Prompt(prompt) if prompt.name == SYSTEM_PROMPT => {
                return Ok(self.own_completion(&request));
            }
            Reference::Prompt(prompt) => {
                let offered = self.offered_prompts().await.into_iter().find(|offered| offered.name == prompt.name);
                let Some(offered) = offered else {
                    let name: String = prompt.name.chars().take(128).collect();
                    return Err(ErrorData::invalid_params(format!("Unknown prompt: {name}"), None));
                };
                prompt.name = offered.definition.name;
                Some(offered.server)
            }
            Reference::Resource(resource) => self.template_server(&resource.uri).await,
            _ => None,
        };
        let Some(server) = server else { return Ok(CompleteResult::default()) };
        let completed = self.agent.ports.servers.complete(&self.agent.name, &server, request).await;
        let complete = completed.map(|mut result| {
            result.result_type.get_or_insert(ResultType::COMPLETE);
            result
        });
        complete.map_err(|error| match error {
            ServerError::Rejected { error, .. } => forward_error(*error),
            other => ErrorData::internal_error(other.to_string(), None),
        })
    }

    fn own_completion(&self, request: &CompleteRequestParams) -> CompleteResult {
        let title = self.agent.current().map(|(spec, _)| spec.title.clone()).unwrap_or_default();
        let fits = request.argument.name == AGENT_NAME && title.starts_with(&request.argument.value);
        let values = if fits { vec![title] } else { Vec::new() };
        CompletionInfo::new(values).map(CompleteResult::new).unwrap_or_default()
    }

    async fn template_server(&self, uri: &str) -> Option<String> {
        let (servers, list_timeout) = (&self.agent.ports.servers, self.agent.common.limits.list_timeout);
        let templates = servers.templates(&self.agent.name, list_timeout).await;
        let exact = templates.into_iter().find(|offered| offered.item.uri_template == uri);
        match exact {
            Some(offered) => Some(offered.server),
            None => self.candidate_servers(uri).await.into_iter().next(),
        }
    }
}

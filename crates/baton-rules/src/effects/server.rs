//! Effects of an MCP server of a definition.

use super::{DefinitionEffects, Destination, Program, ProgramStart, ValueSource, service};
use baton_types::{AgentVariables, InclusionModes, McpEra, McpOauth, McpServer, McpTimeouts, McpTransport};
use std::collections::BTreeMap;

pub(super) fn collect(effects: &mut DefinitionEffects, server: &McpServer, variables: &AgentVariables) {
    let McpServer {
        name,
        file: _,
        transport,
        enabled,
        era: _,
        timeouts: _,
        permissions,
        include,
        exclude,
        modes: _,
        prefix: _,
        required: _,
        trusted,
        oauth,
    } = server;
    let place = format!("the server '{name}'");
    let destination = match transport {
        McpTransport::Stdio { command, args, env, env_file, cwd, base: _ } => {
            let destination = Destination::Program;
            let program = McpServer {
                name: name.clone(),
                transport: transport.clone(),
                permissions: permissions.clone(),
                include: include.clone(),
                exclude: exclude.clone(),
                trusted: *trusted,
                oauth: oauth.clone(),
                // The remaining settings affect neither the program nor its permissions.
                file: String::new(),
                enabled: true,
                era: McpEra::default(),
                timeouts: McpTimeouts::default(),
                modes: InclusionModes::default(),
                prefix: None,
                required: false,
            };
            let program = Program::Server(Box::new(program));
            effects.programs.push(ProgramStart { place: place.clone(), program, is_enabled: *enabled });
            let texts = [command].into_iter().chain(args).chain(cwd);
            for text in texts {
                effects.add_reference(format!("the command of {place}"), text, &destination);
            }
            for (variable, value) in env {
                effects.add_text(format!("the variable {variable} of {place}"), value, &destination);
            }
            if let Some(file) = env_file {
                effects.add_value(format!("the envFile of {place}"), file, ValueSource::MachineFile, &destination);
            }
            destination
        }
        McpTransport::Http { url, headers } => collect_remote(effects, &place, ("http", url), headers, variables),
        McpTransport::Sse { url, headers } => collect_remote(effects, &place, ("sse", url), headers, variables),
        McpTransport::Remote { url, headers } => collect_remote(effects, &place, ("remote", url), headers, variables),
        McpTransport::Internal { tool: _ } => return,
    };
    let Some(McpOauth { client_id: _, client_secret, scopes: _, callback_port: _ }) = oauth else { return };
    if let Some(secret) = client_secret {
        // The authorization server is discovered through this server, so the address of this server determines the
        // receiver of the secret.
        effects.add_text(format!("the client secret of {place}"), secret, &destination);
    }
}

fn collect_remote(
    effects: &mut DefinitionEffects,
    place: &str,
    (transport, url): (&str, &str),
    headers: &BTreeMap<String, String>,
    variables: &AgentVariables,
) -> Destination {
    let destination = service(transport, url, variables);
    effects.add_address(place, url);
    effects.add_reference(format!("the url of {place}"), url, &destination);
    for (name, value) in headers {
        effects.add_text(format!("the header '{name}' of {place}"), value, &destination);
    }
    destination
}

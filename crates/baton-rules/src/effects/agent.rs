//! Effects of an agent definition: tools, guardrails, handoffs and the address of a remote agent.

use super::{DefinitionEffects, Program, ProgramStart, service};
use baton_types::{
    AgentSpec, AgentVariables, CallerServerTool, CommandTool, GuardRunner, Guardrail, HandoffTarget, HttpTool, McpTool,
    ModelSpec, ToolRunner, ToolSpec,
};

pub(super) fn collect(effects: &mut DefinitionEffects, spec: &AgentSpec) {
    let AgentSpec {
        name: _,
        title: _,
        description: _,
        version: _,
        prompt: _,
        skills: _,
        input_modes: _,
        knowledge: _,
        about: _,
        writing: _,
        answer: _,
        guardrails,
        tools,
        model,
        tool_execution: _,
        limits: _,
        control_tools: _,
        enable_handoff: _,
        handoffs,
        policy: _,
        autonomous: _,
        orchestration: _,
        a2a: _,
    } = spec;
    for tool in tools {
        collect_tool(effects, tool);
    }
    for guardrail in guardrails {
        collect_guardrail(effects, guardrail);
    }
    for HandoffTarget { agent, description: _, url } in handoffs {
        if let Some(url) = url {
            effects.add_address(&format!("the handoff to '{agent}'"), url);
        }
    }
    match model {
        ModelSpec::Playbook { rules: _ } => {}
        ModelSpec::Peer { url, listed: _ } => effects.add_address("the remote agent", url),
    }
}

fn collect_tool(effects: &mut DefinitionEffects, tool: &ToolSpec) {
    let ToolSpec {
        name,
        description: _,
        parameters: _,
        effects: _,
        runner,
        output: _,
        permission,
        rules,
        include: _,
        sequential: _,
    } = tool;
    let place = format!("the tool '{name}'");
    match runner {
        ToolRunner::Command(command) => {
            // Destructured only to catch new fields: all of it is part of the program.
            let CommandTool { argv: _, directory: _, timeout: _, max_output: _ } = command;
            let program = Program::Tool { command: command.clone(), permission: *permission, rules: rules.clone() };
            effects.programs.push(ProgramStart { place, program, is_enabled: true });
        }
        ToolRunner::Http(HttpTool { method: _, url, headers, body: _, timeout: _, max_output: _ }) => {
            collect_request(effects, &place, "http tool", url, headers);
        }
        // The server belongs to the agent resources or was supplied with the request of a caller.
        ToolRunner::Mcp(McpTool { server: _, tool: _ })
        | ToolRunner::Guest(CallerServerTool { guest: _, server: _, tool: _ })
        | ToolRunner::Native
        | ToolRunner::Caller
        | ToolRunner::BuiltIn => {}
    }
}

fn collect_guardrail(effects: &mut DefinitionEffects, guardrail: &Guardrail) {
    let Guardrail { name, on: _, runner, timeout: _, fails_open: _ } = guardrail;
    let place = format!("the guardrail '{name}'");
    match runner {
        GuardRunner::Command { argv, directory } => {
            let program = Program::Guardrail { argv: argv.clone(), directory: directory.clone() };
            effects.programs.push(ProgramStart { place, program, is_enabled: true });
        }
        GuardRunner::Http { url, headers } => collect_request(effects, &place, "guardrail", url, headers),
    }
}

fn collect_request(
    effects: &mut DefinitionEffects,
    place: &str,
    transport: &str,
    url: &str,
    headers: &[(String, String)],
) {
    let destination = service(transport, url, &AgentVariables::default());
    effects.add_address(place, url);
    effects.add_reference(format!("the url of {place}"), url, &destination);
    for (name, value) in headers {
        effects.add_text(format!("the header '{name}' of {place}"), value, &destination);
    }
}

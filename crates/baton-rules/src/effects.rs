//! External effects of a definition: programs that it starts, values that it reads and sends, and addresses that it
//! connects to.
//!
//! Every resolved struct and enum is destructured without `..`, so that a new field does not compile until its effect
//! is decided here.

mod address;
mod agent;
mod owner;
mod provider;
mod server;

pub use owner::{OwnerEffect, check_owner_effects};

use baton_types::{AgentResources, AgentSpec, AgentVariables, CommandTool, McpServer, Permission, PermissionRule};

/// All external effects of one definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefinitionEffects {
    /// Programs started on this machine.
    pub programs: Vec<ProgramStart>,
    /// Values that leave the definition, with the variables and files that they are read from.
    pub values: Vec<ValueUse>,
    /// Addresses to connect to.
    pub addresses: Vec<AddressUse>,
}

/// A program started by a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramStart {
    /// Part of the definition, for display.
    pub place: String,
    /// Program with all settings that affect its behavior and permissions.
    pub program: Program,
    /// Whether it is enabled.
    pub is_enabled: bool,
}

/// A program, by the part of a definition that starts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// An MCP server on standard streams; settings without influence on the program have their defaults.
    Server(Box<McpServer>),
    /// A command tool.
    Tool {
        /// Command.
        command: CommandTool,
        /// Permission of the tool.
        permission: Permission,
        /// Permission rules for some of its calls.
        rules: Vec<PermissionRule>,
    },
    /// A command guardrail.
    Guardrail {
        /// Program and arguments.
        argv: Vec<String>,
        /// Working directory.
        directory: String,
    },
}

/// A value that is sent to a program or service.
#[derive(Clone, PartialEq, Eq)]
pub struct ValueUse {
    /// Part of the definition, for display.
    pub place: String,
    /// Value as parsed from the definition; may be a secret.
    pub value: String,
    /// Source of the value.
    pub source: ValueSource,
    /// Destination of the value.
    pub destination: Destination,
}

/// Omits the value and the destination: they may contain secrets.
impl std::fmt::Debug for ValueUse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { place, value: _, source, destination: _ } = self;
        f.debug_struct("ValueUse").field("place", place).field("source", source).finish_non_exhaustive()
    }
}

/// Source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSource {
    /// References to variables (`${NAME}`, `env://NAME`) of the agent or of the process.
    Variable,
    /// A file on this machine, or an entry of one.
    MachineFile,
    /// A literal in the definition.
    Literal,
}

/// Destination of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// The program started by the same part of the definition.
    Program,
    /// A service.
    Service {
        /// Transport.
        transport: String,
        /// Scheme, host and port; the whole address if these cannot be separated safely.
        origin: String,
    },
}

/// An address that Baton connects to because of a definition.
#[derive(Clone, PartialEq, Eq)]
pub struct AddressUse {
    /// Part of the definition, for display.
    pub place: String,
    /// Address as written; may contain a secret.
    pub address: String,
}

/// Omits the address: it may contain secrets.
impl std::fmt::Debug for AddressUse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AddressUse").field("place", &self.place).finish_non_exhaustive()
    }
}

impl DefinitionEffects {
    /// Collects the effects of a resolved definition.
    pub fn from_definition(spec: &AgentSpec, resources: &AgentResources) -> Self {
        let mut effects = Self::default();
        let AgentResources { servers, exports: _, providers, variables } = resources;
        agent::collect(&mut effects, spec);
        for server in servers {
            server::collect(&mut effects, server, variables);
        }
        provider::collect(&mut effects, providers, variables);
        effects
    }

    fn add_value(&mut self, place: String, value: &str, source: ValueSource, destination: &Destination) {
        if !value.is_empty() {
            self.values.push(ValueUse { place, value: value.to_owned(), source, destination: destination.clone() });
        }
    }

    /// Adds a value that may reference variables.
    fn add_text(&mut self, place: String, value: &str, destination: &Destination) {
        let source = if has_reference(value) { ValueSource::Variable } else { ValueSource::Literal };
        self.add_value(place, value, source, destination);
    }

    /// Adds a value only if it references variables: a literal address or number is not a secret.
    fn add_reference(&mut self, place: String, value: &str, destination: &Destination) {
        if has_reference(value) {
            self.add_value(place, value, ValueSource::Variable, destination);
        }
    }

    fn add_address(&mut self, place: &str, address: &str) {
        self.addresses.push(AddressUse { place: place.to_owned(), address: address.to_owned() });
    }
}

/// Prefixes of variable references.
const REFERENCE_MARKS: [&str; 2] = ["${", "env://"];

fn has_reference(value: &str) -> bool {
    REFERENCE_MARKS.iter().any(|mark| value.contains(mark))
}

/// Service at an address. The agent's own variables are expanded, because they determine its location.
fn service(transport: impl Into<String>, url: &str, variables: &AgentVariables) -> Destination {
    let origin = address::origin(&address::fill_in(url, variables));
    Destination::Service { transport: transport.into(), origin }
}

//! Effects of a definition outside of Baton: the programs that it starts, the values that it reads and where it sends them,
//! and the addresses that it reaches.
//!
//! Every resolved struct and enum is taken apart without `..`, so that a new field does not compile until somebody has
//! decided here what it does.

mod address;
mod agent;
mod owner;
mod provider;
mod server;

pub use owner::{OwnerEffect, check_owner_effects};

use baton_types::{AgentKit, AgentSpec, AgentVariables, CommandTool, McpServer, Permission, PermissionRule};

/// All effects of one definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefinitionEffects {
    /// Programs that run on this machine.
    pub programs: Vec<ProgramStart>,
    /// Values that leave the definition, and the variables and files that they are read from.
    pub values: Vec<ValueUse>,
    /// Addresses that are connected to.
    pub addresses: Vec<AddressUse>,
}

/// A program that a definition starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramStart {
    /// The part of the definition, for people.
    pub place: String,
    /// The program with everything that decides what it does and when it may run.
    pub program: Program,
    /// Whether it is started at all.
    pub is_enabled: bool,
}

/// A program by the part of a definition that starts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// An MCP server on standard streams; settings that do not matter to the program have their defaults.
    Server(Box<McpServer>),
    /// A tool that is a command.
    Tool {
        /// The command.
        command: CommandTool,
        /// Whether it runs unasked.
        permission: Permission,
        /// About some of its calls.
        rules: Vec<PermissionRule>,
    },
    /// A guardrail that is a command.
    Guardrail {
        /// Program and arguments.
        argv: Vec<String>,
        /// The working directory.
        directory: String,
    },
}

/// A value that is sent somewhere.
#[derive(Clone, PartialEq, Eq)]
pub struct ValueUse {
    /// The part of the definition, for people.
    pub place: String,
    /// The value as the definition has it after parsing; perhaps a secret.
    pub value: String,
    /// Where the value comes from.
    pub source: ValueSource,
    /// Where it goes.
    pub destination: Destination,
}

/// Values may be secrets.
impl std::fmt::Debug for ValueUse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { place, value: _, source, destination: _ } = self;
        f.debug_struct("ValueUse").field("place", place).field("source", source).finish_non_exhaustive()
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSource {
    /// It names variables (`${NAME}`, `env://NAME`) of the agent or of the process.
    Variable,
    /// It names a file of this machine, or an entry of one.
    MachineFile,
    /// It is in the definition itself.
    Literal,
}

/// Where a value goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// To the program that the same part of the definition starts.
    Program,
    /// To a service.
    Service {
        /// How the service is spoken to.
        transport: String,
        /// Scheme, host and port; the whole address where these cannot be told apart safely.
        origin: String,
    },
}

/// An address that a definition has Baton connect to.
#[derive(Clone, PartialEq, Eq)]
pub struct AddressUse {
    /// The part of the definition, for people.
    pub place: String,
    /// The address as it is written; perhaps with a secret.
    pub address: String,
}

/// Addresses may hold secrets.
impl std::fmt::Debug for AddressUse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AddressUse").field("place", &self.place).finish_non_exhaustive()
    }
}

impl DefinitionEffects {
    /// Effects of a resolved definition.
    pub fn from_definition(spec: &AgentSpec, kit: &AgentKit) -> Self {
        let mut effects = Self::default();
        let AgentKit { servers, exports: _, providers, variables } = kit;
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

    /// A value that may name variables.
    fn add_text(&mut self, place: String, value: &str, destination: &Destination) {
        let source = if has_reference(value) { ValueSource::Variable } else { ValueSource::Literal };
        self.add_value(place, value, source, destination);
    }

    /// A value that matters only where it names variables: an address or a number that is written out is no secret.
    fn add_reference(&mut self, place: String, value: &str, destination: &Destination) {
        if has_reference(value) {
            self.add_value(place, value, ValueSource::Variable, destination);
        }
    }

    fn add_address(&mut self, place: &str, address: &str) {
        self.addresses.push(AddressUse { place: place.to_owned(), address: address.to_owned() });
    }
}

/// Beginnings of references to variables.
const REFERENCE_MARKS: [&str; 2] = ["${", "env://"];

fn has_reference(value: &str) -> bool {
    REFERENCE_MARKS.iter().any(|mark| value.contains(mark))
}

/// A service at an address in which the agent's own variables are filled in, since they decide where it is.
fn service(transport: impl Into<String>, url: &str, variables: &AgentVariables) -> Destination {
    let origin = address::origin(&address::fill_in(url, variables));
    Destination::Service { transport: transport.into(), origin }
}

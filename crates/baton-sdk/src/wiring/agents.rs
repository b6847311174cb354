//! The agents of a program as a port.

use crate::{Agent, Error};
use baton_local::DirectoryAgents;
use baton_peers::{Book, BookOptions, PeerConfig, TypedHosts};
use baton_ports::{AgentSource, BoxFuture, Changes, Unusable};
use baton_toolhost::NativeTools;
use baton_types::{AgentKit, AgentName, AgentSpec, ErrorCode};
use std::sync::Arc;

/// A fixed set of agents, those that are made while the program runs, and those elsewhere to which they hand work by
/// address.
pub(super) struct CodedAgents {
    served: Vec<(Arc<AgentSpec>, Arc<AgentKit>)>,
    kept: Arc<DirectoryAgents>,
    book: Arc<Book>,
}

/// Whether there must be agents in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Least {
    One,
    None,
}

impl CodedAgents {
    /// Resolves the agents, and checks what one alone cannot show.
    pub(super) fn of(
        agents: Vec<Agent>,
        kept: Arc<DirectoryAgents>,
        least: Least,
    ) -> Result<(Self, NativeTools), Error> {
        let wrong = |message: String| Error::new(ErrorCode::AGENT_INVALID, message);
        let mut native = NativeTools::new();
        let mut resolved: Vec<(Arc<AgentSpec>, Arc<AgentKit>)> = Vec::with_capacity(agents.len());
        for agent in agents {
            let (spec, kit) = agent.resolved(&mut native)?;
            if resolved.iter().any(|(other, _)| other.name == spec.name) {
                return Err(wrong(format!("two agents are called '{}'; give one of them another name", spec.name)));
            }
            resolved.push((Arc::new(spec), Arc::new(kit)));
        }
        if resolved.is_empty() && least == Least::One {
            return Err(wrong(
                "there is no agent to serve; give one to Baton::agent, or a storage to Baton::storage".to_owned(),
            ));
        }
        resolved.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        let options =
            BookOptions { configured: Vec::new(), file: None, locals: None, reach: Arc::new(TypedHosts::new()) };
        let book = Book::open(options).map_err(|error| Error::new(error.code, error.detail))?;
        let all = Self { served: resolved, kept, book: Arc::new(book) };
        let targets = all.served.iter().flat_map(|(spec, _)| &spec.handoffs);
        let away = targets.filter(|target| all.find(&target.agent).is_none());
        all.book.lend(away.filter_map(|target| {
            let url = target.url.as_ref()?;
            Some(PeerConfig { name: Some(target.agent.clone()), ..PeerConfig::at(url) })
        }));
        for (spec, _) in &all.served {
            if let Some(target) = spec.handoffs.iter().find(|target| all.agent(&target.agent).is_none()) {
                return Err(wrong(format!(
                    "the agent '{}' hands work to '{}', which is not served here; give it to Baton::agent, too",
                    spec.name, target.agent
                )));
            }
        }
        Ok((all, native))
    }

    /// The agents elsewhere.
    pub(super) fn book(&self) -> Arc<Book> {
        Arc::clone(&self.book)
    }

    /// The names of those that are part of the program.
    pub(super) fn coded(&self) -> Vec<AgentName> {
        self.served.iter().map(|(spec, _)| spec.name.clone()).collect()
    }

    fn find(&self, name: &AgentName) -> Option<&(Arc<AgentSpec>, Arc<AgentKit>)> {
        self.served.iter().find(|(spec, _)| spec.name == *name)
    }
}

impl AgentSource for CodedAgents {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        let kept = self.kept.agents().into_iter().filter(|agent| self.find(&agent.name).is_none());
        self.served.iter().map(|(spec, _)| Arc::clone(spec)).chain(kept).chain(self.book.agents()).collect()
    }

    fn agent(&self, name: &AgentName) -> Option<Arc<AgentSpec>> {
        let coded = self.find(name).map(|(spec, _)| Arc::clone(spec));
        coded.or_else(|| self.kept.agent(name)).or_else(|| AgentSource::agent(&*self.book, name))
    }

    fn kit(&self, name: &AgentName) -> Arc<AgentKit> {
        match self.find(name) {
            Some((_, kit)) => Arc::clone(kit),
            None if self.kept.has(name) => self.kept.kit(name),
            None => self.book.kit(name),
        }
    }

    fn refresh(&self) -> BoxFuture<'_, Vec<Unusable>> {
        self.kept.refresh()
    }

    fn changes(&self) -> Changes {
        self.kept.changes()
    }
}

//! Table of caller servers with their owners and expiry.

use baton_ports::{AgentSource, ChangeStream};
use baton_types::{AgentName, AgentResources, AgentSpec, McpServer, Principal};
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::{sync::watch, time::Instant};

/// Maximum servers in total and per account.
const MAX_CALLER_SERVERS: usize = 256;
const MAX_SERVERS_PER_ACCOUNT: usize = 32;
/// Idle time after which a server is evicted when another is added.
const IDLE_TTL: Duration = Duration::from_secs(60 * 60);

/// Caller servers as resources of agents that no other component sees.
pub(super) struct CallerServerTable {
    by_name: Mutex<HashMap<AgentName, CallerServerEntry>>,
    changed: watch::Sender<()>,
}

struct CallerServerEntry {
    account: CallerAccount,
    resources: Arc<AgentResources>,
    last_used: Instant,
}

/// Unit of the per-account limit.
#[derive(Clone, PartialEq, Eq)]
struct CallerAccount {
    tenant: Arc<str>,
    subject: Arc<str>,
}

impl CallerAccount {
    fn from_principal(principal: &Principal) -> Self {
        Self { tenant: Arc::clone(&principal.tenant), subject: Arc::clone(&principal.subject) }
    }
}

impl Default for CallerServerTable {
    fn default() -> Self {
        Self { by_name: Mutex::default(), changed: watch::Sender::new(()) }
    }
}

impl CallerServerTable {
    /// The name of a server; a new server gets a new name. At the limit, the least recently used server of the same
    /// account is evicted; a server in use is never evicted for another account.
    pub(super) fn register(&self, principal: &Principal, server: McpServer) -> Result<AgentName, String> {
        let (account, now) = (CallerAccount::from_principal(principal), Instant::now());
        let mut table = self.by_name.lock();
        let is_it =
            |entry: &CallerServerEntry| entry.account == account && entry.resources.servers.first() == Some(&server);
        if let Some((name, entry)) = table.iter_mut().find(|(_, entry)| is_it(entry)) {
            entry.last_used = now;
            return Ok(name.clone());
        }
        table.retain(|_, entry| now.duration_since(entry.last_used) < IDLE_TTL);
        let own = table.values().filter(|entry| entry.account == account).count();
        if own >= MAX_SERVERS_PER_ACCOUNT || (table.len() >= MAX_CALLER_SERVERS && own > 0) {
            let owned = table.iter().filter(|(_, entry)| entry.account == account);
            let oldest = owned.min_by_key(|(_, entry)| entry.last_used).map(|(name, _)| name.clone());
            oldest.map(|name| table.remove(&name));
        }
        if table.len() >= MAX_CALLER_SERVERS {
            return Err(format!(
                "the limit of {MAX_CALLER_SERVERS} connected caller servers is reached; try again later"
            ));
        }
        let name = random_name()?;
        let resources = AgentResources { servers: vec![server], ..AgentResources::default() };
        table.insert(name.clone(), CallerServerEntry { account, resources: Arc::new(resources), last_used: now });
        drop(table);
        self.changed.send_replace(());
        Ok(name)
    }

    /// Marks the server as used; false when it belongs to another caller or is gone.
    pub(super) fn touch(&self, principal: &Principal, name: &AgentName) -> bool {
        let account = CallerAccount::from_principal(principal);
        let mut table = self.by_name.lock();
        let found = table.get_mut(name).filter(|entry| entry.account == account);
        found.is_some_and(|entry| {
            entry.last_used = Instant::now();
            true
        })
    }

    /// Removes a server.
    pub(super) fn remove(&self, name: &AgentName) {
        self.by_name.lock().remove(name);
        self.changed.send_replace(());
    }
}

impl AgentSource for CallerServerTable {
    fn agents(&self) -> Vec<Arc<AgentSpec>> {
        Vec::new()
    }

    fn agent(&self, _: &AgentName) -> Option<Arc<AgentSpec>> {
        None
    }

    fn has(&self, name: &AgentName) -> bool {
        self.by_name.lock().contains_key(name)
    }

    fn agent_resources(&self, name: &AgentName) -> Arc<AgentResources> {
        self.by_name.lock().get(name).map(|entry| Arc::clone(&entry.resources)).unwrap_or_default()
    }

    fn changes(&self) -> ChangeStream {
        let changed = self.changed.subscribe();
        Box::pin(futures_util::stream::unfold(changed, |mut changed| async move {
            changed.changed().await.ok()?;
            Some(((), changed))
        }))
    }
}

/// An unguessable name, because it grants access to secrets.
fn random_name() -> Result<AgentName, String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|_| "the operating system provides no random bytes".to_owned())?;
    Ok(format!("guest-{:032x}", u128::from_be_bytes(bytes)).as_str().into())
}

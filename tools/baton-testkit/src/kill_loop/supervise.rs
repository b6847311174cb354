//! Kills and restarts the server.

use super::{chance::SeededRandom, link::LiveServer};
use crate::{Generation, Server, ServerOptions, StartingServer};
use anyhow::{Context as _, Result};
use baton_system::SystemClock;
use baton_types::Clock as _;
use std::ops::Range;
use tokio::sync::watch;

/// Milliseconds from readiness to the kill.
const KILL_DELAY_MILLIS: Range<u64> = 0..700;
/// Milliseconds from process start to a kill before readiness.
const STARTUP_KILL_DELAY_MILLIS: Range<u64> = 0..60;
/// One in this number of starts is killed before readiness.
const STARTUP_KILL_ODDS: u32 = 5;

/// Starts and kills servers on one data directory.
pub(super) struct Supervisor {
    options: ServerOptions,
    chance: SeededRandom,
    pub(super) generations: Vec<Generation>,
    pub(super) kills: u64,
}

impl Supervisor {
    pub(super) fn new(options: ServerOptions, seed: u64) -> Self {
        Self { options, chance: SeededRandom::new(seed, "supervisor"), generations: Vec::new(), kills: 0 }
    }

    fn spawn(&mut self) -> Result<StartingServer> {
        let started_at = SystemClock.now();
        let starting = self.options.spawn()?;
        let pid = starting.pid().context("the server exited immediately")?;
        self.generations.push(Generation { pid, started_at });
        Ok(starting)
    }

    /// Starts a server and waits until it is ready.
    pub(super) async fn start(&mut self) -> Result<Server> {
        self.spawn()?.ready().await
    }

    /// Kills the server `cycles` times at random times and publishes every new one to `news`.
    pub(super) async fn cycle(
        &mut self,
        first: Server,
        cycles: u32,
        news: &watch::Sender<LiveServer>,
    ) -> Result<Server> {
        let mut server = first;
        for generation in 1..=cycles {
            tokio::time::sleep(self.chance.millis(KILL_DELAY_MILLIS)).await;
            server.kill().await?;
            self.kills += 1;
            while self.chance.one_in(STARTUP_KILL_ODDS) {
                let starting = self.spawn()?;
                tokio::time::sleep(self.chance.millis(STARTUP_KILL_DELAY_MILLIS)).await;
                starting.kill().await?;
                self.kills += 1;
            }
            server = self.start().await?;
            news.send_replace(LiveServer::new(generation, &server));
        }
        Ok(server)
    }
}

//! A Baton of entries that were named one by one: directories here, addresses elsewhere.

use super::{
    agents::{self, Wanted},
    baton::{Baton, Needs, Parts, Strictness},
    elsewhere::{self, Fresh, is_address},
    kept::Keep,
};
use crate::{config::Settings, failure::Failure};
use baton_ports::{AgentSource as _, Unusable};
use baton_types::ErrorCode;
use std::{path::PathBuf, sync::Arc};

/// A directory may be written as a URL.
const FILE: &str = "file://";

impl Baton {
    /// Serves what the entries stand for, or what the settings name when there are none. Entries that cannot be used
    /// are told, and looked at again whenever somebody wants to know which agents there are.
    pub(crate) async fn open_entries(
        settings: &Settings,
        entries: &[String],
        keep: Keep,
        needs: Needs,
    ) -> Result<(Self, Vec<Unusable>), Failure> {
        let (addresses, paths): (Vec<&String>, Vec<&String>) = entries.iter().partition(|entry| is_address(entry));
        let paths = match entries.is_empty() {
            true => settings.agents.clone(),
            false => paths.into_iter().map(|entry| path(entry)).collect::<Result<_, _>>()?,
        };
        let (locals, unusable) = agents::open(Wanted {
            paths: &paths,
            data: (keep == Keep::All).then_some(&settings.data),
            ..Wanted::named(settings)
        })?;
        let locals = Arc::new(locals);
        let peers = match entries.is_empty() {
            true => settings.peers.clone(),
            false => addresses.into_iter().map(|url| elsewhere::configured(url, settings)).collect(),
        };
        let book = match (entries.is_empty(), keep) {
            (true, Keep::All) => elsewhere::book(settings, &locals)?,
            _ => elsewhere::passing_book(peers, &locals)?,
        };
        let asked = entries.is_empty() && needs == Needs::Agents;
        if asked && locals.listed().is_empty() && book.agents().is_empty() && book.unmet().is_empty() {
            let reasons: Vec<String> = unusable.into_iter().map(|unusable| unusable.reason).collect();
            return Err(Failure::new(ErrorCode::AGENT_NOT_FOUND, reasons.join("; "))
                .hint("Start a server with `baton up`, change to a directory that holds agents, or name some."));
        }
        let fresh = if entries.is_empty() { Fresh::Kept } else { Fresh::WhenAsked };
        let parts = Parts { strictness: Strictness::Lenient, keep, fresh, locals, book };
        let baton = Self::of(settings, parts).await?;
        // Agents elsewhere have no names before their cards were read.
        let unusable = baton.look_again().await;
        Ok((baton, unusable))
    }
}

/// The directory of an entry.
fn path(entry: &str) -> Result<PathBuf, Failure> {
    let Some(url) = entry.strip_prefix(FILE) else { return Ok(entry.into()) };
    let local = url.strip_prefix("localhost/").map(|rest| format!("/{rest}"));
    let decoded = decoded(local.as_deref().unwrap_or(url));
    decoded.map(PathBuf::from).ok_or_else(|| {
        Failure::new(ErrorCode::USAGE, format!("{entry} is no URL of a directory"))
            .hint("Write it as file:///absolute/path, or name the directory itself.")
    })
}

/// Text without its percent signs, if it is text then.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok())?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_as_people_and_programs_write_them() {
        for (entry, expect) in [
            ("agents/weather", Some("agents/weather")),
            ("file:///srv/my%20agents", Some("/srv/my agents")),
            ("file://localhost/srv", Some("/srv")),
            ("file://agents", Some("agents")),
            ("file:///a%2", None),
            ("file:///a%ff", None),
        ] {
            assert_eq!(path(entry).ok(), expect.map(PathBuf::from), "{entry}");
        }
    }
}

//! Guardrails on input and output, and the answer format.

use crate::{
    raw::{RawAnswer, RawGuardrail},
    resolve::check_unique,
    tool::{guard_command, guard_request},
};
use baton_document::{DocumentReader, LocatedValue};
use baton_types::{AnswerFormat, Guardrail, Json};
use std::{collections::BTreeSet, time::Duration};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);
const DEFAULT_REPAIRS: u32 = 2;

/// All guardrails of the file; those with errors are skipped.
pub(crate) fn resolve_all(reader: &mut DocumentReader, raw: Vec<RawGuardrail>, base_directory: &str) -> Vec<Guardrail> {
    let mut seen = BTreeSet::new();
    raw.into_iter().filter_map(|guardrail| resolve(reader, &mut seen, guardrail, base_directory)).collect()
}

fn resolve(
    reader: &mut DocumentReader,
    seen: &mut BTreeSet<String>,
    raw: RawGuardrail,
    base_directory: &str,
) -> Option<Guardrail> {
    let name = raw.name.map(|LocatedValue { location, value }| {
        let name = value.trim().to_owned();
        if name.is_empty() || name.len() > 64 || name.contains(char::is_control) {
            reader.error(
                location,
                "a guardrail's name is empty or too long",
                "use at most 64 bytes without control characters",
            );
        }
        check_unique(reader, seen, "guardrail", &name, location);
        name
    });
    let runner = match (raw.command, raw.http) {
        (Some(command), None) => guard_command(reader, &command, base_directory),
        (None, Some(http)) => guard_request(reader, http),
        (Some(_), Some(http)) => {
            reader.error(http.location, "a guardrail has both command and http", "keep one of them");
            None
        }
        (None, None) => {
            let hint = "write `command: [\"sh\", \"guards/check.sh\"]`, or http with the url of a service";
            reader.error(raw.location, "a guardrail has neither command nor http", hint);
            None
        }
    };
    Some(Guardrail {
        name: name?,
        on: raw.on,
        runner: runner?,
        timeout: raw.timeout.unwrap_or(DEFAULT_TIMEOUT),
        fails_open: raw.fails_open.unwrap_or(false),
    })
}

/// The answer format.
pub(crate) fn answer(raw: Option<RawAnswer>) -> Option<AnswerFormat> {
    let raw = raw?;
    let repairs = raw.repairs.and_then(|repairs| u32::try_from(repairs).ok()).unwrap_or(DEFAULT_REPAIRS);
    Some(AnswerFormat { schema: Json::from(raw.schema?.to_json()), repairs })
}

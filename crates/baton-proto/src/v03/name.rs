//! Resource names.

use crate::fault::{ConversionError, ConversionResult, FieldContext};
use std::borrow::Cow;

const TASKS: &str = "tasks/";
const CONFIGS: &str = "/pushNotificationConfigs";

/// The resource name of a task.
pub(super) fn task_name(task: &str) -> String {
    format!("{TASKS}{task}")
}

/// The resource name of a push configuration.
pub(super) fn config_name(task: &str, config: &str) -> String {
    format!("{TASKS}{task}{CONFIGS}/{config}")
}

/// The task id in a resource name.
pub(super) fn parse_task(name: &str, field: &str) -> ConversionResult<Cow<'static, str>> {
    let task = name.strip_prefix(TASKS).filter(|task| !task.is_empty() && !task.contains('/'));
    task.map(owned).ok_or_else(|| ConversionError::new("must be tasks/{id}")).at(field)
}

/// The task id in a parent name; by the HTTP rule of the schema, the parent of a new configuration includes the
/// collection.
pub(super) fn parse_parent(name: &str) -> ConversionResult<Cow<'static, str>> {
    parse_task(name.strip_suffix(CONFIGS).unwrap_or(name), "parent")
}

/// The task id and the configuration id in a resource name.
pub(super) fn parse_config(name: &str) -> ConversionResult<(Cow<'static, str>, Cow<'static, str>)> {
    let (task, config) = name.strip_prefix(TASKS).and_then(|rest| rest.split_once('/')).unwrap_or_default();
    let config = config.strip_prefix(&CONFIGS[1..]).and_then(|rest| rest.strip_prefix('/')).unwrap_or_default();
    if task.is_empty() || config.is_empty() {
        return Err(ConversionError::new("must be tasks/{id}/pushNotificationConfigs/{id}")).at("name");
    }
    Ok((owned(task), owned(config)))
}

fn owned(text: &str) -> Cow<'static, str> {
    Cow::Owned(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        let config_name = config_name("t", "c/d");
        assert_eq!(parse_config(&config_name).unwrap(), ("t".into(), "c/d".into()));
        assert_eq!(parse_task(&task_name("t"), "name").unwrap(), "t");
        assert_eq!(parse_parent("tasks/t/pushNotificationConfigs").unwrap(), "t");
        for wrong in ["", "t", "tasks/", "tasks/t/x", "tasks//pushNotificationConfigs/c", "projects/t"] {
            assert!(parse_task(wrong, "name").is_err(), "{wrong}");
            assert!(parse_config(wrong).is_err(), "{wrong}");
        }
        for wrong in ["tasks/t/pushNotificationConfigs/", "tasks/t/pushNotificationConfigsc", "tasks/t"] {
            assert!(parse_config(wrong).is_err(), "{wrong}");
        }
    }
}

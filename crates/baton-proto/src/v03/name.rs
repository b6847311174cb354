//! Resource names.

use crate::fault::{At, Carried, Fault};
use std::borrow::Cow;

const TASKS: &str = "tasks/";
const CONFIGS: &str = "/pushNotificationConfigs";

/// The resource name of a task.
pub(super) fn of_task(task: &str) -> String {
    format!("{TASKS}{task}")
}

/// The resource name of a push configuration.
pub(super) fn of_config(task: &str, config: &str) -> String {
    format!("{TASKS}{task}{CONFIGS}/{config}")
}

/// The task id in a resource name.
pub(super) fn task(name: &str, field: &str) -> Carried<Cow<'static, str>> {
    let task = name.strip_prefix(TASKS).filter(|task| !task.is_empty() && !task.contains('/'));
    task.map(owned).ok_or_else(|| Fault::new("must be tasks/{id}")).at(field)
}

/// The task id in a parent name; by the HTTP rule of the schema, the parent of a new configuration includes the
/// collection.
pub(super) fn parent(name: &str) -> Carried<Cow<'static, str>> {
    task(name.strip_suffix(CONFIGS).unwrap_or(name), "parent")
}

/// The task id and the configuration id in a resource name.
pub(super) fn config(name: &str) -> Carried<(Cow<'static, str>, Cow<'static, str>)> {
    let (task, config) = name.strip_prefix(TASKS).and_then(|rest| rest.split_once('/')).unwrap_or_default();
    let config = config.strip_prefix(&CONFIGS[1..]).and_then(|rest| rest.strip_prefix('/')).unwrap_or_default();
    if task.is_empty() || config.is_empty() {
        return Err(Fault::new("must be tasks/{id}/pushNotificationConfigs/{id}")).at("name");
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
    fn names_are_read_as_they_are_written() {
        let config_name = of_config("t", "c/d");
        assert_eq!(config(&config_name).unwrap(), ("t".into(), "c/d".into()));
        assert_eq!(task(&of_task("t"), "name").unwrap(), "t");
        assert_eq!(parent("tasks/t/pushNotificationConfigs").unwrap(), "t");
        for wrong in ["", "t", "tasks/", "tasks/t/x", "tasks//pushNotificationConfigs/c", "projects/t"] {
            assert!(task(wrong, "name").is_err(), "{wrong}");
            assert!(config(wrong).is_err(), "{wrong}");
        }
        for wrong in ["tasks/t/pushNotificationConfigs/", "tasks/t/pushNotificationConfigsc", "tasks/t"] {
            assert!(config(wrong).is_err(), "{wrong}");
        }
    }
}

//! A2A operations and their names in every binding.

use baton_rules::Access;
use http::Method;

/// An operation, independent of its name in a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum A2aOperation {
    Send,
    Stream,
    Get,
    List,
    Cancel,
    Subscribe,
    CreatePush,
    GetPush,
    ListPush,
    DeletePush,
    ExtendedCard,
}

impl A2aOperation {
    const ALL: [Self; 11] = [
        Self::Send,
        Self::Stream,
        Self::Get,
        Self::List,
        Self::Cancel,
        Self::Subscribe,
        Self::CreatePush,
        Self::GetPush,
        Self::ListPush,
        Self::DeletePush,
        Self::ExtendedCard,
    ];

    /// Method name in A2A 1.0.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Send => "SendMessage",
            Self::Stream => "SendStreamingMessage",
            Self::Get => "GetTask",
            Self::List => "ListTasks",
            Self::Cancel => "CancelTask",
            Self::Subscribe => "SubscribeToTask",
            Self::CreatePush => "CreateTaskPushNotificationConfig",
            Self::GetPush => "GetTaskPushNotificationConfig",
            Self::ListPush => "ListTaskPushNotificationConfigs",
            Self::DeletePush => "DeleteTaskPushNotificationConfig",
            Self::ExtendedCard => "GetExtendedAgentCard",
        }
    }

    /// Access to the agent that a caller needs.
    pub(super) fn access(self) -> Access {
        match self {
            Self::Send | Self::Stream | Self::Cancel | Self::CreatePush | Self::DeletePush => Access::Call,
            Self::Get | Self::List | Self::Subscribe | Self::GetPush | Self::ListPush | Self::ExtendedCard => {
                Access::Read
            }
        }
    }

    /// Operation with this A2A 1.0 method name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// Operation of a gRPC path, for both services.
    pub(super) fn from_grpc_path(path: &str) -> Option<Self> {
        let (_service, method) = path.rsplit_once('/')?;
        match method {
            "TaskSubscription" => Some(Self::Subscribe),
            "ListTaskPushNotificationConfig" => Some(Self::ListPush),
            "GetAgentCard" => Some(Self::ExtendedCard),
            name => Self::from_name(name),
        }
    }

    /// Operation of an HTTP+JSON path, for both versions.
    pub(super) fn from_rest_path(method: &Method, path: &str) -> Option<Self> {
        let (before, last) = path.rsplit_once('/')?;
        let collection = before.rsplit('/').next().unwrap_or_default();
        let verb = last.rsplit_once(':').map(|(_, verb)| verb);
        match (method, collection, last, verb) {
            (&Method::POST, _, "message:send", _) => Some(Self::Send),
            (&Method::POST, _, "message:stream", _) => Some(Self::Stream),
            (&Method::GET, "pushNotificationConfigs", ..) => Some(Self::GetPush),
            (&Method::DELETE, "pushNotificationConfigs", ..) => Some(Self::DeletePush),
            (&Method::GET, _, "pushNotificationConfigs", _) => Some(Self::ListPush),
            (&Method::POST, _, "pushNotificationConfigs", _) => Some(Self::CreatePush),
            (&Method::GET, _, "extendedAgentCard" | "card" | "authenticatedExtendedCard", _) => {
                Some(Self::ExtendedCard)
            }
            (&Method::POST, "tasks", _, Some("cancel")) => Some(Self::Cancel),
            (_, "tasks", _, Some("subscribe")) => Some(Self::Subscribe),
            (&Method::GET, "tasks", _, None) => Some(Self::Get),
            (&Method::GET, _, "tasks", _) => Some(Self::List),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_operations() {
        for (method, path, expect) in [
            ("POST", "/message:send", "SendMessage"),
            ("POST", "/agents/weather/v1/message:stream", "SendStreamingMessage"),
            ("GET", "/agents/weather/tasks", "ListTasks"),
            ("GET", "/agents/weather/tasks/1", "GetTask"),
            ("GET", "/v1/tasks/1:subscribe", "SubscribeToTask"),
            ("POST", "/tasks/a:b:subscribe", "SubscribeToTask"),
            ("POST", "/agents/weather/tasks/1:cancel", "CancelTask"),
            ("POST", "/tasks/1/pushNotificationConfigs", "CreateTaskPushNotificationConfig"),
            ("GET", "/tasks/1/pushNotificationConfigs", "ListTaskPushNotificationConfigs"),
            ("GET", "/tasks/1/pushNotificationConfigs/2", "GetTaskPushNotificationConfig"),
            ("DELETE", "/weather/tasks/1/pushNotificationConfigs/2", "DeleteTaskPushNotificationConfig"),
            ("GET", "/extendedAgentCard", "GetExtendedAgentCard"),
            ("GET", "/v1/card", "GetExtendedAgentCard"),
            ("GET", "/agent/authenticatedExtendedCard", "GetExtendedAgentCard"),
            ("POST", "/tasks/1:stop", "-"),
            ("POST", "/tasks/1", "-"),
        ] {
            let operation = A2aOperation::from_rest_path(&method.parse().unwrap(), path);
            assert_eq!(operation.map_or("-", A2aOperation::name), expect, "{method} {path}");
        }
        for (path, expect) in [
            ("/lf.a2a.v1.A2AService/SendMessage", "SendMessage"),
            ("/a2a.v1.A2AService/TaskSubscription", "SubscribeToTask"),
            ("/a2a.v1.A2AService/GetAgentCard", "GetExtendedAgentCard"),
            ("/lf.a2a.v1.A2AService/Nothing", "-"),
        ] {
            assert_eq!(A2aOperation::from_grpc_path(path).map_or("-", A2aOperation::name), expect, "{path}");
        }
    }
}

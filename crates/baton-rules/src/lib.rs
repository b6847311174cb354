//! The machines of Baton: task, run, tool call and handoff as pure functions.

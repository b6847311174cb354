//! This machine as ports: agent directories on disk, command tools, the clock and fresh ids.

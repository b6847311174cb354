//! The tool host against scripted servers.

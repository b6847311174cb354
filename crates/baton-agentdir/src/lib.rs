//! Parses agent definitions as a map of path to bytes, with located diagnostics.

//! Scripted peers, kill loop and history checker for tests.

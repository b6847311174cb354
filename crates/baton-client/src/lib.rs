//! Typed client of the HTTP surface, used by the command line and tests.

//! The client against servers that behave and servers that do not.

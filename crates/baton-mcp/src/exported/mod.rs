//! Work that agents offer as tools.

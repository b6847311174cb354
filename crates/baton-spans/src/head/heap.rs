//! Memory of collections: their capacity, not their length.

use std::collections::HashMap;

/// Heap memory of a vector, without that of its elements.
pub(super) fn vec_bytes<T>(vec: &Vec<T>) -> usize {
    vec.capacity() * size_of::<T>()
}

/// Heap memory of a map, without that of its entries.
pub(super) fn map_bytes<K, V, S>(map: &HashMap<K, V, S>) -> usize {
    // The table has a power of two of slots, at most seven eighths of them in use, with one control byte each.
    match map.capacity() {
        0 => 0,
        capacity => (capacity * 8).div_ceil(7).next_power_of_two() * (size_of::<(K, V)>() + 1),
    }
}

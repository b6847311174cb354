//! Rows of a block by value, for writing a column: sorted without comparing rows where most rows have a value.

/// Sentinel: a row without a value.
const NO_VALUE: u32 = u32::MAX;

/// The rows of each value of a column, in ascending order and without duplicates.
pub(super) struct ValueRows {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl ValueRows {
    /// Groups pairs of a row and the number of a value; both are below the given counts.
    pub(super) fn group(pairs: Vec<(u32, u32)>, row_count: usize, values: usize) -> Self {
        match pairs.len() * MIN_DENSITY < row_count {
            true => Self::group_sparse(pairs, values),
            false => Self::group_dense(&pairs, row_count, values),
        }
    }

    fn group_sparse(mut pairs: Vec<(u32, u32)>, values: usize) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        Self::from_rows(values, |each| pairs.iter().for_each(|(row, number)| each(*row, *number)))
    }

    fn group_dense(pairs: &[(u32, u32)], row_count: usize, values: usize) -> Self {
        let mut value_of_row = vec![NO_VALUE; row_count];
        let mut further = Vec::new();
        for (row, number) in pairs {
            let known = &mut value_of_row[*row as usize];
            match *known {
                NO_VALUE => *known = *number,
                known if known == *number => {}
                _ => further.push((*row, *number)),
            }
        }
        further.sort_unstable();
        further.dedup();
        Self::from_rows(values, |each| {
            let mut further = further.iter().peekable();
            for (row, number) in (0..).zip(&value_of_row) {
                if *number != NO_VALUE {
                    each(row, *number);
                }
                while let Some((_, number)) = further.next_if(|(other, _)| *other == row) {
                    each(row, *number);
                }
            }
        })
    }

    /// Groups pairs that are passed twice in ascending order of rows.
    fn from_rows(values: usize, pass: impl Fn(&mut dyn FnMut(u32, u32))) -> Self {
        let mut starts = vec![0u32; values + 1];
        pass(&mut |_, number| starts[number as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts.last().map_or(0, |last| *last as usize)];
        pass(&mut |row, number| {
            let at = &mut next[number as usize];
            rows[*at as usize] = row;
            *at += 1;
        });
        Self { starts, rows }
    }

    /// The rows of a value.
    pub(super) fn rows(&self, number: u32) -> &[u32] {
        &self.rows[self.starts[number as usize] as usize..self.starts[number as usize + 1] as usize]
    }
}

/// With fewer pairs than one in this number of rows, the pairs are sorted instead.
const MIN_DENSITY: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn rows_of_every_value_are_sorted(pairs in prop::collection::vec((0..40_u32, 0..6_u32), 0..60), more in 0..2000_usize) {
            let rows = ValueRows::group(pairs.clone(), 40 + more, 6);
            for number in 0..6 {
                let expected: BTreeSet<u32> = pairs.iter().filter(|(_, value)| *value == number).map(|(row, _)| *row).collect();
                prop_assert_eq!(rows.rows(number), expected.into_iter().collect::<Vec<_>>());
            }
        }
    }
}

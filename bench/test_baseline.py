"""Tests of the comparison with the baseline: python3 -m unittest discover bench."""

import copy
import os
import unittest

import baseline
import operations

TOOLCHAIN = {"rustc": "rustc 1.95.0", "host": "x86_64", "cc": "cc 12"}


def committed():
    with open(os.path.join(operations.BENCH, "baseline.json"), encoding="utf-8") as file:
        return baseline.load(file.read())


def scaled(figures, operation, figure, factor):
    changed = copy.deepcopy(figures)
    changed[operation][figure] = round(changed[operation][figure] * factor)
    return changed


class CommittedBaseline(unittest.TestCase):
    """With the committed figures: each of them is guarded."""

    def setUp(self):
        self.known = committed()
        self.figures = self.known["operations"]
        self.each = [(operation, figure) for operation in self.figures for figure in self.figures[operation]]

    def test_every_operation_has_every_figure(self):
        counts = {"instructions", "allocations", "allocated_bytes"}
        expected = {operation: counts for operation in operations.OPERATIONS} | {operations.RESIDENT[0]: {"resident_bytes"}}
        self.assertEqual({operation: set(figures) for operation, figures in self.figures.items()}, expected)

    def test_ten_percent_more_of_any_figure_is_worse(self):
        for operation, figure in self.each:
            worse, better = baseline.compare(self.known, scaled(self.figures, operation, figure, 1.10))
            self.assertEqual(len(worse), 1, worse)
            self.assertTrue(worse[0].startswith(f"{operation}: {figure} "), worse)
            self.assertEqual(better, [])

    def test_two_percent_of_any_figure_is_neither(self):
        for operation, figure in self.each:
            for factor in (0.98, 1.02):
                changed = scaled(self.figures, operation, figure, factor)
                self.assertEqual(baseline.compare(self.known, changed), ([], []))

    def test_ten_percent_less_of_any_figure_is_better(self):
        for operation, figure in self.each:
            worse, better = baseline.compare(self.known, scaled(self.figures, operation, figure, 0.90))
            self.assertEqual((worse, len(better)), ([], 1))

    def test_a_missing_operation_is_worse(self):
        for operation in self.figures:
            fewer = {name: figures for name, figures in self.figures.items() if name != operation}
            worse, _ = baseline.compare(self.known, fewer)
            self.assertEqual(len(worse), len(self.figures[operation]))
            worse, _ = baseline.compare({"operations": fewer}, self.figures)
            self.assertEqual(len(worse), len(self.figures[operation]))


class Renewal(unittest.TestCase):
    FIGURES = {"a2a_send": {"instructions": 100_000}}

    def test_a_written_baseline_is_read(self):
        made = baseline.new(self.FIGURES, TOOLCHAIN, " first\n figures ")
        self.assertEqual(baseline.load(baseline.dump(made)), made)
        self.assertEqual(made["reason"], "first figures")

    def test_figures_need_a_new_reason(self):
        made = baseline.new(self.FIGURES, TOOLCHAIN, "first")
        for reason in ("", " ", "first", "first "):
            with self.assertRaises(baseline.BaselineError):
                baseline.new(self.FIGURES, TOOLCHAIN, reason, made)
        self.assertEqual(baseline.new(self.FIGURES, TOOLCHAIN, "second", made)["reason"], "second")

    def test_edited_figures_are_rejected(self):
        text = baseline.dump(baseline.new(self.FIGURES, TOOLCHAIN, "first"))
        for edited in (text.replace("100000", "110000"), text.replace("first", "second"), "{}", "<<<<<<<"):
            with self.assertRaises(baseline.BaselineError):
                baseline.load(edited)

    def test_another_toolchain_is_named(self):
        made = baseline.new(self.FIGURES, TOOLCHAIN, "first")
        self.assertEqual(baseline.differences(made, TOOLCHAIN), [])
        [line] = baseline.differences(made, {**TOOLCHAIN, "rustc": "rustc 1.96.0"})
        self.assertIn("1.95.0", line)
        self.assertIn("1.96.0", line)


if __name__ == "__main__":
    unittest.main()

"""The committed figures of the guard, and their comparison with new ones. Pure: nothing is measured here."""

import hashlib
import json

# A figure that grows by more than this part is a failure; one that shrinks by as much, a hint.
TOLERANCE = 0.05
# Resident memory depends on when the allocator returns pages: the least of three runs differs by up to 5 %.
RESIDENT_TOLERANCE = 0.08
RENEW = 'make baseline REASON="why the figures change"'


class BaselineError(Exception):
    """The baseline cannot be used or replaced."""


def new(figures, toolchain, reason, previous=None):
    """A baseline with these figures. Every change of figures has a reason of its own."""
    reason = " ".join(reason.split())
    if not reason:
        raise BaselineError(f"a new baseline needs a reason: {RENEW}")
    if previous and reason == previous.get("reason"):
        raise BaselineError(f"the reason is that of the baseline before; give the one of this change: {RENEW}")
    content = {"reason": reason, "toolchain": toolchain, "operations": figures}
    return {**content, "seal": seal(content)}


def seal(baseline):
    """Digest of everything else: figures cannot change without `make baseline`, which requires a reason."""
    content = {key: value for key, value in baseline.items() if key != "seal"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def dump(baseline):
    return json.dumps(baseline, indent=2, sort_keys=True) + "\n"


def load(text):
    """Reads a baseline, and checks its seal."""
    try:
        baseline = json.loads(text)
    except ValueError as error:
        raise BaselineError(f"bench/baseline.json is not JSON ({error}); renew it: {RENEW}") from error
    if baseline.get("seal") != seal(baseline):
        raise BaselineError(f"bench/baseline.json was changed by hand; its figures are renewed with a reason: {RENEW}")
    return baseline


def differences(baseline, toolchain):
    """Differences of the toolchain, because of which figures cannot be compared."""
    known = baseline["toolchain"]
    return [f"{key}: the baseline has {known.get(key)!r}, here it is {toolchain.get(key)!r}"
            for key in sorted({*known, *toolchain}) if known.get(key) != toolchain.get(key)]


def compare(baseline, figures):
    """Lines of the figures that are worse, and of those that are better."""
    worse, better = [], []
    known = baseline["operations"]
    for operation in sorted({*known, *figures}):
        before, after = known.get(operation, {}), figures.get(operation, {})
        for figure in sorted({*before, *after}):
            if figure not in before or figure not in after:
                worse.append(f"{operation}: {figure} is only in {'the baseline' if figure in before else 'this run'}")
                continue
            growth = after[figure] / before[figure] - 1
            line = f"{operation}: {figure} {before[figure]:,} before, {after[figure]:,} now ({growth:+.1%})"
            tolerance = RESIDENT_TOLERANCE if figure == "resident_bytes" else TOLERANCE
            if growth > tolerance:
                worse.append(line)
            elif growth < -tolerance:
                better.append(line)
    return worse, better

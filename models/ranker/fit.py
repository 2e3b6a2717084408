"""Fits the ranker: one logistic regression for each kind of record, and measures it on what it was not fitted on.

    fit.py scenes          build the scenes, kept in CACHE/scenes.pickle
    fit.py [table.go]      fit, print the tables of the README, write the Go table
"""
import os
import pickle
import sys

import numpy as np

from data import CACHE
from scenes import TALK, Scenes

SIGNS = {
    "memory": ["cosine", "text", "text*best_text"],
    "text": ["cosine", "text", "text*best_text"],
    "message": ["cosine", "text", "text*best_text", "context-text", "assistant", "length*assistant", "length*user"],
    "named": ["smooth", "context", "context*best_context", "wide", "length", "speaker"],
}
# What a far question counts: they are few, and their answers are what cosine alone finds.
FAR = {"memory": 3, "text": 3, "message": 8, "named": 2}
UNANSWERED = ("adversarial", "abstention")
PATH = os.path.join(CACHE, "scenes.pickle")


def build():
    s, out = Scenes(), {}
    for name in TALK + ("cranfield",):
        out[name] = s.public(name)
    for kind in ("memory", "message"):
        out["answers " + kind] = s.answers(kind)
    for f in ("A1", "A2", "A3"):
        out[f + " memory"], out[f + " message"] = s.facts(f, "memory", 6), s.facts(f, "message", 9)
        out[f + " small"] = s.facts(f, "memory", 6, 20)
    out["A4"], out["A5"] = s.facts("A4", "turn", 5), s.facts("A5", "text", 4)
    with open(PATH, "wb") as file:
        pickle.dump((s.names, out), file)


def columns(m, names, use):
    out = []
    for sign in use:
        x = 1.0
        for a in sign.split("*"):
            p, _, q = a.partition("-")
            x = x * (m[:, names.index(p)] - (m[:, names.index(q)] if q else 0))
        out.append(x)
    return np.stack(out + [np.ones(len(m))], 1)


def kinds_of(r, names):
    """A message counts as `named` where the question names somebody who speaks in the corpus."""
    if (r.signs[:, names.index("named")] > 0).any():
        return np.where(r.kinds == "message", "named", r.kinds)
    return r.kinds


def fit(rows, names, kind, use):
    x, y, w = [], [], []
    for r in rows:
        k = kinds_of(r, names)
        if kind == "text" and r.scene.endswith(("memory", "small")):
            k = np.where(k == "memory", "text", k)  # a note is saved and asked for as a memory is
        m = k == kind
        weight = {"far": FAR[kind], "gone": 0.5}.get(r.kind, 0 if r.kind in UNANSWERED else 1)
        if m.any() and weight:
            x.append(columns(r.signs[m], names, use))
            y.append(r.right[m])
            w.append(np.full(m.sum(), float(weight)))
    x, y, w = np.concatenate(x), np.concatenate(y).astype(float), np.concatenate(w)
    scale = np.r_[x[:, :-1].std(0) + 1e-9, 1]
    z, b, ridge = x / scale, np.r_[np.zeros(len(use)), -4], np.r_[np.full(len(use), 3.0), 1e-3]

    def loss(b):
        return (w * np.logaddexp(0, np.where(y > 0, -1, 1) * (z @ b))).sum() + (ridge * b * b).sum() / 2
    for _ in range(60):  # Newton with halved steps
        p = 1 / (1 + np.exp(-z @ b))
        step = np.linalg.solve((z * (w * p * (1 - p))[:, None]).T @ z + np.diag(ridge), z.T @ (w * (y - p)) - ridge * b)
        t, at = 1.0, loss(b)
        while loss(b + t * step) > at and t > 1e-4:
            t /= 2
        b = b + t * step
        if abs(t * step).max() < 1e-5:
            break
    return b / scale


def score(r, names, model, signs):
    k, out = kinds_of(r, names), np.zeros(len(r.ids))
    for kind, b in model.items():
        m = k == kind
        if m.any():
            out[m] = columns(r.signs[m], names, signs[kind]) @ b
    return out


def measure(rows, names, model, signs):
    """One line of figures for the rows of one scene, and the probabilities of each kind with what was right."""
    place, best, found, sure = {}, {}, [], {}
    for r in rows:
        s = score(r, names, model, signs)
        order = np.argsort(-s, kind="stable")
        best.setdefault(r.kind, []).append(s[order[0]])
        k = kinds_of(r, names)
        for kind in set(k):
            sure.setdefault(kind, []).append((1 / (1 + np.exp(-s[k == kind])), r.right[k == kind]))
        if not r.wanted or r.kind in UNANSWERED:
            continue
        seen = list(dict.fromkeys(r.ids[i] for i in order))
        at = [seen.index(x) if x in seen else 999 for x in r.wanted]
        if r.kind in ("direct", "near", "far"):
            place.setdefault(r.kind, []).append(min(at))
        else:
            found.append(np.mean([p < 10 for p in at]))
    if found:
        return f"recall@10 {np.mean(found):.3f}", sure
    floor = np.quantile(best["direct"] + best["near"], 0.03)
    text = " ".join(f"{t} {np.mean(np.array(v) == 0):.3f}/{np.mean(np.array(v) < 3):.3f}" for t, v in place.items())
    text += " · silent " + " ".join(f"{t} {np.mean(np.array(v) < floor):.2f}" for t, v in best.items() if t in ("gone", "not", "none"))
    return text + f" · level {1 / (1 + np.exp(-floor)):.3f}", sure


def crossed(data, names, signs):
    """Prints what each scene reaches with weights that were fitted without its file or conversation, in three parts."""
    train = [r for k, v in data.items() if not k.startswith("answers") for r in v]
    folds = sorted({r.fold for r in train})
    part = {f: i % 3 for i, f in enumerate(folds)}
    lines, sure = {}, {}
    for p in range(3):
        model = {k: fit([r for r in train if part[r.fold] != p], names, k, u) for k, u in signs.items()}
        for scene, rows in data.items():
            rows = [r for r in rows if part.get(r.fold) == p]
            if rows:
                line, by = measure(rows, names, model, signs)
                lines.setdefault(scene, []).append(f"({len(rows)}) {line}")
                for k, v in by.items():
                    sure.setdefault(k, []).extend(v)
    for scene, line in lines.items():
        print(f"  {scene:14} " + " ; ".join(line))
    for k, v in sure.items():
        p, y = np.concatenate([a for a, _ in v]), np.concatenate([b for _, b in v])
        bins = [(0.02, 0.1), (0.1, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 0.9), (0.9, 1.01)]
        print(f"  sure {k:8}", " ".join(f"{a:.2f}: {y[(p >= a) & (p < b)].mean():.2f} ({((p >= a) & (p < b)).sum()})" for a, b in bins if ((p >= a) & (p < b)).any()))
    return {k: fit(train, names, k, u) for k, u in signs.items()}


def main():
    if sys.argv[1:] == ["scenes"]:
        return build()
    with open(PATH, "rb") as file:
        names, data = pickle.load(file)
    model = crossed(data, names, SIGNS)
    for k, b in model.items():
        print(k, " ".join(f"{s} {x:.2f}" for s, x in zip(SIGNS[k] + ["1"], b)))
    for scene in data:
        if scene.startswith("answers"):
            print("  test", scene, measure(data[scene], names, model, SIGNS)[0])
    if os.environ.get("DROP"):
        for kind in SIGNS:
            for sign in SIGNS[kind]:
                less = {**SIGNS, kind: [s for s in SIGNS[kind] if s != sign]}
                if less[kind]:
                    print("without", kind, sign)
                    crossed(data, names, less)


if __name__ == "__main__":
    main()

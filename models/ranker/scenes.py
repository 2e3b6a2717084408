"""Builds the scenes that the ranker is fitted on: corpora with questions, and the signs of each question's best candidates."""
import json
import os
import random

import numpy as np

from data import EVAL, Vectors, pairs, projection, rows, said, talks, unit
from signs import Corpus

TALK = ("locomo.dev", "realtalk.dev", "beam100k.dev")
CANDIDATES, KEEP = 100, 40  # a side, and how many of the best bring in their neighbours; as in internal/index


class Rows:
    """The candidates of one question: who they are, their kinds, what answers, and their signs."""
    def __init__(self, scene, fold, kind, signs, ids, kinds, right, wanted):
        self.scene, self.fold, self.kind, self.ids, self.kinds, self.right, self.wanted = scene, fold, kind, ids, kinds, right, wanted
        self.signs = signs


class Scenes:
    def __init__(self):
        self.vectors, self.project = Vectors(), projection()

    def embed(self, texts):
        return unit(self.vectors.of(texts) @ self.project.T)

    def corpus(self, entries):
        return Corpus(entries, self.embed([said(e) for e in entries]))

    def ask(self, corpus, question, v, scene, fold, kind, right, absent=-1):
        """Rows of one question; `right` are the ids that answer it."""
        s = corpus.signs(question, v, absent)
        near = list(np.argsort(-s["cosine"])[:CANDIDATES])
        said_ = [i for i in np.argsort(-s["text"])[:CANDIDATES] if s["text"][i] > 0]
        pick = set(near) | set(said_)
        mix = s["text"] / max(1e-9, s["text"].max()) + .4 * s["cosine"] / max(1e-9, s["cosine"].max())
        for i in sorted(pick, key=lambda i: -mix[i])[:KEEP]:
            pick.update(corpus.near[k][i] for k in range(4) if corpus.has[k][i])
        pick.discard(absent)
        pick = np.array(sorted(pick))
        for name in ("text", "cover", "context", "wide", "cosine"):
            s["best_" + name] = np.full(corpus.n, s[name][pick].max())
        ids = [corpus.entries[i]["id"] for i in pick]
        hit = np.array([x in right for x in ids]) if absent < 0 else np.zeros(len(ids), bool)
        self.names = list(s)
        return Rows(scene, fold, kind, np.stack([s[n][pick] for n in s], 1).astype(np.float32), ids,
                    np.array([corpus.entries[i]["kind"] for i in pick]), hit, right)

    def noise(self, messages=2000, documents=300):
        out = [dict(e, kind="message", session=t["name"] + e["session"], id=f"{t['name']}-{e['id']}")
               for f in ("realtalk.dev", "locomo.dev") for t in talks(f) for e in t["entries"][:500]][:messages]
        return out + [dict(e, kind="text", session="doc" + e["id"], id="doc" + e["id"])
                      for t in talks("cranfield") for e in t["entries"]][:documents]

    def saved(self, texts, kind):
        """Entries of texts that were saved as memories, texts or messages; these in conversations of ten."""
        out = []
        for i, t in enumerate(texts):
            e = {"text": t, "speaker": "", "session": "", "kind": kind, "id": i}
            if kind == "message":
                e.update(speaker="Sam", session=f"own{i // 10}")
            if kind == "turn":
                who, found, rest = t.partition(": ")
                e.update(kind="message", speaker=who if found and len(who) < 25 else "", text=rest if found and len(who) < 25 else t)
            out.append(e)
        return out

    def facts(self, file, kind, every=1, small=0):
        """Questions of a training file among foreign noise, or in corpora of `small` texts without any."""
        data = [x for f, x in pairs() if f == file]
        groups = [data] if not small else [data[i:i + small] for i in range(0, len(data), small)]
        out, n = [], 0
        for group in groups:
            corpus = self.corpus(self.saved([x["text"] for x in group], kind) + ([] if small else self.noise()))
            asked = [(t, i, q) for i, x in enumerate(group) for t, q in
                     [("direct", x["direct"])] + [(t, q) for t in ("near", "far", "not") for q in x[t]]]
            n, asked = n + len(asked), [a for k, a in enumerate(asked) if (k + n) % every == 0]
            for (t, own, q), v in zip(asked, self.embed([a[2] for a in asked])):
                right = {own} if t != "not" else set()
                out.append(self.ask(corpus, q, v, f"{file} {kind}" + (f" {small}" if small else ""), file, t, right))
                if t != "not":
                    out.append(self.ask(corpus, q, v, f"{file} {kind}" + (f" {small}" if small else ""), file, "gone", set(), own))
        return out

    def answers(self, kind):
        """The test set, as it is saved and asked by answers.py."""
        data = rows(os.path.join(EVAL, "answers.dev.jsonl"))
        own = [x for x in data if x["kind"] == "fact"]
        corpus = self.corpus(self.saved([x["fact"] for x in own], kind) + self.noise())
        asked = [(t, i, q) for t, f in (("direct", "direct"), ("near", "near"), ("far", "other")) for i, x in enumerate(own)
                 for q in ([x[f]] if isinstance(x[f], str) else x[f])]
        asked += [("none", -1, x["question"]) for x in data if x["kind"] == "none"]
        return [self.ask(corpus, q, v, "answers " + kind, "answers", t, {i} if i >= 0 else set())
                for (t, i, q), v in zip(asked, self.embed([a[2] for a in asked]))]

    def public(self, name):
        out = []
        for t in talks(name):
            text = name == "cranfield"
            corpus = self.corpus([dict(e, kind="text" if text else "message", session=e["id"] if text else e["session"]) for e in t["entries"]])
            asked = [q for q in t["questions"] if q["evidence"] or q["category"] == "abstention"]
            out += [self.ask(corpus, q["text"], v, name, t["name"], q["category"], q["evidence"])
                    for q, v in zip(asked, self.embed([q["text"] for q in asked]))]
        return out

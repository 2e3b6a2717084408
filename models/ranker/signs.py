"""The signs of the ranker, as internal/rank computes them, for whole corpora at once.

Terms come from the analyser of the index: TERMS names the program that `go build ./scripts/terms` makes.
"""
import json
import math
import os
import subprocess

import numpy as np

from data import said, unit

K1, B = 1.2, 0.75
SHARE = (0.6, 0.2, 0.35, 0.05)    # of the terms of the neighbours: one before, one behind, two before, two behind
SMOOTH = (0.6, 0.3, 0.24, 0.12)   # of their vectors
WINDOW = 15                       # terms that a neighbour counts as at most

_terms = {}


def terms(texts):
    new = [t for t in dict.fromkeys(texts) if t not in _terms]
    if new:
        out = subprocess.run([os.environ.get("TERMS", "terms")], input="\n".join(map(json.dumps, new)), text=True, capture_output=True, check=True)
        for t, line in zip(new, out.stdout.splitlines()):
            _terms[t] = [a for a, _ in json.loads(line)]
    return [_terms[t] for t in texts]


class Corpus:
    """Entries with `text`, `speaker` and `session` ("" for what stands alone), in order within a session."""
    def __init__(self, entries, vectors):
        self.entries, self.n = entries, len(entries)
        self.vec = vectors
        body, head = terms([e["text"] for e in entries]), terms([e["speaker"] or "" for e in entries])
        self.body = np.array([len(t) for t in body], float)
        self.length = self.body + np.array([len(t) for t in head])
        self.mean = max(1.0, self.length.mean())
        self.post, self.talk = {}, {}
        for i, (t, h) in enumerate(zip(body, head)):
            for w in t:
                self.post.setdefault(w, {}).setdefault(i, [0, 0])[0] += 1
            for w in h:
                self.post.setdefault(w, {}).setdefault(i, [0, 0])[1] += 1
        self.post = {w: (np.array(list(d)), np.array(list(d.values()), float)) for w, d in self.post.items()}
        self.names = {w for e in entries if e["speaker"] not in ("", "user", "assistant") for w in terms([e["speaker"]])[0]}
        near = -np.ones((4, self.n), int)
        for i, e in enumerate(entries):
            for k, by in enumerate((-1, 1, -2, 2)):
                o = i + by
                if e["session"] and 0 <= o < self.n and entries[o]["session"] == e["session"]:
                    near[k, i] = o
        self.near, self.has = np.where(near < 0, 0, near), near >= 0
        self.damp = np.minimum(1, WINDOW / np.maximum(self.body, 1))
        # vectors smoothed over the neighbours
        v = self.vec.copy()
        for k in range(4):
            v += SMOOTH[k] * np.where(self.has[k][:, None], self.vec[self.near[k]], 0)
        self.smooth = unit(v)
        self.ask = np.array([e["text"].rstrip(" \"')”’*").endswith("?") for e in entries])
        self.speech = np.array([bool(e["speaker"]) for e in entries])
        self.person = np.array([e["speaker"] not in ("", "user", "assistant") for e in entries])
        self.assistant = np.array([e["speaker"] == "assistant" for e in entries], float)
        self.user = np.array([e["speaker"] == "user" for e in entries], float)
        dl = self.length.copy()
        for k in range(4):
            dl += self.has[k] * self.damp * SHARE[k] * np.minimum(self.body[self.near[k]], WINDOW)
        self.wide, self.wide_mean = dl, max(1.0, dl.mean())

    def signs(self, question, v, absent=-1):
        """(names, matrix n x signs) of all entries; `absent` is taken for not being there."""
        qt = list(dict.fromkeys(terms([question])[0]))[:64]
        n, m = self.n - (absent >= 0), max(1, len(qt))
        tf, hd = np.zeros((m, self.n)), np.zeros((m, self.n))
        for k, w in enumerate(qt):
            if w in self.post:
                at, c = self.post[w]
                tf[k, at], hd[k, at] = c[:, 0], c[:, 1]
        if absent >= 0:
            tf[:, absent] = hd[:, absent] = 0
        df = ((tf + hd) > 0).sum(1)
        idf = np.log(1 + (n - df + .5) / (df + .5))
        if not qt:
            idf[:] = 0
        top = math.log(1 + (n + .5) / .5)
        total = idf.sum() + 1e-9
        x = tf + hd
        own = (idf[:, None] * x * (K1 + 1) / (x + K1 * (1 - B + B * self.length / self.mean))).sum(0)
        c = x.copy()
        for k in range(4):
            c += SHARE[k] * self.damp * np.where(self.has[k], self.damp[self.near[k]] * tf[:, self.near[k]], 0)
        ctx = (idf[:, None] * c * (K1 + 1) / (c + K1 * (1 - B + B * self.wide / self.wide_mean))).sum(0)
        cover = (idf[:, None] * (x > 0)).sum(0)
        covctx = (idf[:, None] * (c > 0)).sum(0)
        missing = ((x == 0) * idf[:, None]).max(0) / top
        cos, smooth = self.vec @ v, self.smooth @ v
        if absent >= 0:
            cos[absent] = smooth[absent] = -1
        best = np.sort(cos)[::-1]
        level = best[1:11].mean() if self.n > 1 else 0
        named = [w for w in qt if w in self.names]
        speaker = np.zeros(self.n)
        if named:
            speaker = np.array([h > 0 for h in hd[[qt.index(w) for w in named]].sum(0)], float) * self.person
        prev_ask = self.has[0] & self.ask[self.near[0]]
        own_share = own / total
        rest = best[0] if len(best) else 0
        gap = np.where(cos >= best[0], cos - (best[1] if len(best) > 1 else 0), cos - best[0])
        return {
            "cosine": cos, "smooth": smooth, "text": own_share, "context": ctx / total, "cover": cover / total, "wide": covctx / total,
            "missing": missing, "unseen": np.full(self.n, (idf * (df == 0)).sum() / total), "level": np.full(self.n, level),
            "gap": gap, "words": np.full(self.n, min(m, 12) / 12), "length": np.minimum(1, np.log1p(self.body) / math.log(30)), "speaker": speaker,
            "question": self.ask.astype(float), "answer": prev_ask * own_share[self.near[0]], "named": np.full(self.n, float(bool(named))), "assistant": self.assistant, "user": self.user,
        }


def entries_of(texts, speaker="", session=""):
    return [{"text": t, "speaker": speaker, "session": session} for t in texts]

"""The training data: loading, holding out, targets, and what is varied while training."""
import glob
import hashlib
import json
import os
import random
import re

import torch

from model import KINDS, NAMES, RELATIONS, sentences

HERE = os.path.dirname(os.path.realpath(__file__))
IGNORE = -100


def load(pattern):
    out = []
    for path in sorted(glob.glob(os.path.join(HERE, "data", pattern))):
        with open(path) as f:
            out += [json.loads(line) | {"file": os.path.basename(path)} for line in f if line.strip()]
    return out


def held(key, share=10):
    """True for one key in `share`, always the same ones, so that files may be added without moving others."""
    return int(hashlib.sha1(key.encode()).hexdigest(), 16) % share == 0


def split(rows, key, share=10):
    """(training, held out), by a key that twins have in common."""
    return [x for x in rows if not held(key(x), share)], [x for x in rows if held(key(x), share)]


def text_rows():
    return split(load("[BET]*.jsonl"), lambda x: x["text"][:40])


def pair_rows():
    return split(load("[CD]*.jsonl"), lambda x: x["old"])


# --- targets ---------------------------------------------------------------------------------------------------------
def sentence_targets(row):
    """[(start, end, label)] of the sentences; a sentence counts as kept where a quote covers half of it or where it
    holds half of the quote. IGNORE where a smaller part is covered, or in documents, which have names only."""
    out = []
    for a, b in sentences(row["text"]):
        label = IGNORE if row["file"].startswith("E") else 0
        best = 0
        for m in row["memories"]:
            start = row["text"].find(m["quote"])
            both = min(b, start + len(m["quote"])) - max(a, start)
            size = len(row["text"][a:b].strip())
            share = max(both / max(1, size), both / max(1, len(m["quote"])))
            if share > best:
                best, label = share, 1 + KINDS.index(m["type"]) if share >= 0.5 else IGNORE
        out.append((a, b, label))
    return out


def token_targets(row, spans):
    keep, name = [0] * len(spans), [0] * len(spans)
    for i, (a, b) in enumerate(spans):
        if a < 0 or b <= a:
            keep[i] = name[i] = IGNORE
    if row.get("names") is False:  # nobody noted its names
        name = [IGNORE] * len(spans)
    if row["file"].startswith("E"):
        keep = [IGNORE] * len(spans)
    for m in row["memories"]:
        start = row["text"].find(m["quote"])
        for i, (a, b) in enumerate(spans):
            if keep[i] != IGNORE and a >= start and b <= start + len(m["quote"]):
                keep[i] = 1 + KINDS.index(m["type"])
    for e in sorted(row["entities"], key=lambda e: len(e["name"])):  # the longer name wins
        at = [(m.start(), m.end()) for m in re.finditer(r"(?<!\w)" + re.escape(e["name"]) + r"(?!\w)", row["text"])]
        if "at" in e:  # one place only: the same word elsewhere is no name, or another one
            at = [(e["at"], e["at"] + len(e["name"]))]
        for left, right in at:
            first = True
            for i, (a, b) in enumerate(spans):
                if name[i] != IGNORE and a >= left and b <= right:
                    name[i] = 1 + 2 * NAMES.index(e["kind"]) + (not first)
                    first = False
    return keep, name


def sides(row):
    return ((row.get("speaker_old") or "user") + ": " + row["old"], (row.get("speaker_new") or "user") + ": " + row["new"])


def value_targets(row, x):
    """For each token of a pair: 1 in the old value, 2 in the new one, else 0."""
    out = []
    texts, values = sides(row), (row.get("old_value"), row.get("new_value"))
    for (a, b), side in zip(x.spans, x.segments):
        at = texts[side].rfind(values[side]) if values[side] else -1
        out.append(IGNORE if a < 0 else 1 + side if at >= 0 and a >= at and b <= at + len(values[side]) else 0)
    return out


# --- variation -------------------------------------------------------------------------------------------------------
FIRST = re.compile(r"\b(I|i|I'm|i'm|my|My|I've|i've)\b")


class Vary:
    """Changes a pair so that its relation stays certain."""

    def __init__(self, rows, dice):
        self.rows, self.dice = rows, dice
        self.names = sorted({x["speaker_old"] for x in rows if re.fullmatch(r"[^\W\d_]+", x.get("speaker_old") or "")})

    def __call__(self, row):
        d = self.dice
        row = dict(row)
        if d.random() < 0.12:  # a statement about something else, of the same speaker
            other = d.choice(self.rows)
            if other["file"] != row["file"]:
                row |= {"old": other["old"], "old_value": other.get("old_value"), "relation": "independent"}
                row["speaker_old"] = row.get("speaker_new")
        if d.random() < 0.35 and row["relation"] in ("same", "independent", "contradicts"):
            row["old"], row["new"] = row["new"], row["old"]
            row["speaker_old"], row["speaker_new"] = row.get("speaker_new"), row.get("speaker_old")
            row["old_value"], row["new_value"] = row.get("new_value"), row.get("old_value")
        one = row.get("speaker_old") == row.get("speaker_new")
        own = FIRST.search(row["old"]) and FIRST.search(row["new"])
        r = d.random()
        if one and own and r < 0.05:  # what another person says of themselves changes nothing here
            row["relation"], row["speaker_new"] = "independent", d.choice(self.names)
            if row["speaker_new"] == row["speaker_old"]:
                return row | {"speaker_new": None}
        elif one and r < 0.25:
            row["speaker_old"] = row["speaker_new"] = None
        elif one and r < 0.5 and (row["speaker_old"] or "") not in row["old"] + row["new"]:
            row["speaker_old"] = row["speaker_new"] = d.choice(self.names)
        return row


class VaryNames:
    """Puts another name of the same kind in place of a name, so that the kind is learned from what stands around it."""

    def __init__(self, rows, dice):
        self.dice, pool = dice, {}
        for r in rows:
            for e in r["entities"]:
                if e["name"][0].isupper() and len(e["name"]) > 2:
                    pool.setdefault(e["kind"], set()).add(e["name"])
        self.pool = {k: sorted(v) for k, v in pool.items()}

    def __call__(self, row):
        names = [e["name"] for e in row["entities"]]
        if any("at" in e for e in row["entities"]) or self.dice.random() < 0.5:
            return row
        for e in row["entities"]:
            name = e["name"]
            apart = not any(name != x and (name.lower() in x.lower() or x.lower() in name.lower()) for x in names)
            if name[0].isupper() and apart and name != row.get("speaker") and self.dice.random() < 0.4:
                new = self.dice.choice(self.pool[e["kind"]])
                if any(new.lower() in x.lower() or x.lower() in new.lower() for x in names + [row["text"]]):
                    continue
                row = replaced(row, name, new)
                names = [e["name"] for e in row["entities"]]
        return row


def replaced(row, name, new):
    """The row with another name; unchanged where a quote would no longer be found."""
    word = re.compile(r"(?<!\w)" + re.escape(name) + r"(?!\w)")

    def put(s):
        return word.sub(lambda _: new, s)

    out = row | {"text": put(row["text"]), "memories": [m | {"quote": put(m["quote"])} for m in row["memories"]],
                 "entities": [e | {"name": new if e["name"] == name else e["name"]} for e in row["entities"]]}
    return out if all(m["quote"] in out["text"] for m in out["memories"]) else row


def padded(lines):
    length = max(map(len, lines))
    return torch.tensor([x + [IGNORE] * (length - len(x)) for x in lines])


def relation(row):
    return RELATIONS.index(row["relation"])

"""Reads the texts and questions that the ranker is fitted and measured on, and keeps their vectors in a cache file.

Folders come from the environment: TRAIN (A1.jsonl … A5.jsonl), EVAL (locomo.dev.jsonl, realtalk.dev.jsonl,
beam100k.dev.jsonl, cranfield.jsonl, answers.dev.jsonl), ENCODER (encoder.py's folder with the weights beside it), CACHE.
"""
import json
import os
import re
import sys
import time

import numpy as np

TRAIN, EVAL = os.environ.get("TRAIN", "train"), os.environ.get("EVAL", "eval")
ENCODER, CACHE = os.environ.get("ENCODER", "encoder"), os.environ.get("CACHE", "cache")
LONGEST = 256  # tokens of a text that the encoder reads


def rows(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def pieces(text, size=900):
    """Cuts a text into stretches of about `size` characters at the ends of sentences, as chunks are cut."""
    if len(text) <= size * 1.2:
        return [text]
    out, now = [], ""
    for part in re.split(r"(?<=[.!?\n])\s+", text):
        while len(part) > size * 1.5:
            out, part = out + [part[:size]], part[size:]
        if now and len(now) + len(part) > size:
            out, now = out + [now], ""
        now = (now + " " + part).strip()
    return out + [now] if now else out


def pairs():
    """The training texts: (file, record) for each; see the README of the data for the fields."""
    return [(f"A{k}", x) for k in range(1, 6) for x in rows(os.path.join(TRAIN, f"A{k}.jsonl"))]


def talks(name):
    """Conversations of a set of talk: each has entries (chunks of turns) and questions with evidence."""
    out = []
    for x in rows(os.path.join(EVAL, name + ".jsonl")):
        entries, turns = [], {}
        for n, t in enumerate(x["turns"]):
            text = t["text"] + (f" [image: {t['caption']}]" if t.get("caption") else "")
            if not text.strip():
                continue
            turns[t["id"]] = n
            for part in pieces(text):
                entries.append({"turn": n, "id": t["id"], "session": t["session"], "time": t["time"],
                                "speaker": t["speaker"], "text": part})
        asked = [{"text": q["text"], "category": q["category"], "evidence": set(q["evidence"])} for q in x["questions"]]
        out.append({"name": x["conversation"], "entries": entries, "questions": asked})
    return out


def said(e):
    """What of an entry is embedded: the speaker is a part of it."""
    return e["speaker"] + ": " + e["text"] if e["speaker"] else e["text"]


class Vectors:
    """Vectors by text, 384 wide as the encoder makes them; what is new is embedded and kept in the cache."""
    def __init__(self):
        os.makedirs(CACHE, exist_ok=True)
        self.path, self.at, self.rows = os.path.join(CACHE, "vectors.npz"), {}, np.zeros((0, 384), np.float32)
        if os.path.exists(self.path):
            kept = np.load(self.path, allow_pickle=True)
            self.rows, self.at = kept["rows"].astype(np.float32), {t: i for i, t in enumerate(kept["texts"])}

    def need(self, texts):
        new = list(dict.fromkeys(t for t in texts if t not in self.at))
        for start in range(0, len(new), 2048):
            part = new[start:start + 2048]
            began, found = time.time(), self.embed(part)
            self.at.update((t, len(self.rows) + i) for i, t in enumerate(part))
            self.rows = np.concatenate([self.rows, found])
            np.savez(self.path + ".new.npz", rows=self.rows.astype(np.float16), texts=np.array(list(self.at), dtype=object))
            os.replace(self.path + ".new.npz", self.path)
            print(f"embedded {start + len(part)} of {len(new)}, {time.time() - began:.0f} s", file=sys.stderr, flush=True)

    def embed(self, texts):
        import torch
        if not hasattr(self, "encoder"):
            sys.path.insert(0, TRAIN)
            from encoder import Encoder
            torch.set_num_threads(1)
            self.encoder = Encoder(ENCODER)
        with torch.autocast("cpu", torch.bfloat16):  # cosine to float32 above .9999, in half the time
            return self.encoder.embed(texts, LONGEST)

    def of(self, texts):
        self.need(texts)
        return self.rows[[self.at[t] for t in texts]]


def projection():
    """The rows of the projection to 256 dimensions that the encoder ships."""
    from safetensors.numpy import load_file
    return load_file(os.path.join(ENCODER, "projection.safetensors"))["weight"].astype(np.float32)


def unit(v):
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-9)


def everything():
    """All texts to embed, those that are needed first at the front."""
    for _, x in pairs():
        yield from [x["text"], x["direct"], *x["near"], *x["far"], *x["not"]]
    for x in rows(os.path.join(EVAL, "answers.dev.jsonl")):
        if x["kind"] == "fact":
            yield from [x["fact"], x["direct"], *x["near"], *x["other"]]
        elif x["kind"] == "none":
            yield x["question"]
        elif x["kind"] == "correction":
            yield from [x["old"], x["new"], x["question"]]
        else:
            yield from [x["question"], *(i["text"] for i in x["items"])]
    for name in ("locomo.dev", "realtalk.dev", "cranfield", "beam100k.dev"):
        for talk in talks(name):
            yield from (said(e) for e in talk["entries"])
            yield from (q["text"] for q in talk["questions"])


if __name__ == "__main__":
    Vectors().need(everything())

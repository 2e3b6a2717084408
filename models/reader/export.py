#!/usr/bin/env python3
"""Calibrates the trained reader on what is held out, and writes it for the engine.

    export.py --base FOLDER --texts texts.pt --pairs pairs.pt --out FOLDER

Writes FOLDER/reader.safetensors (float16, see README.md) and FOLDER/golden.jsonl (inputs and figures, computed from the
float16 weights in float32, which the engine is held to), and prints the levels.
"""
import argparse
import json
import os

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

import data
import evaluate
import model
from model import KEEP, NAME_TAGS, RELATIONS, Pairs, Texts


def round_half(net):
    """Rounds all weights but the word table as float16 does (that one is in float16 already)."""
    with torch.no_grad():
        for v in net.parameters():
            v.copy_(v.half().float())
    net.eval()


def temperature(logits, wrong):
    """The divisor of the logits with the least loss; wrong(logits) is the loss."""
    return min(np.arange(0.5, 4.01, 0.05), key=lambda t: float(wrong(logits / float(t))))


@torch.no_grad()
def pair_logits(net, rows):
    return torch.cat([net(net.inputs([data.sides(r) for r in rows[i:i + 64]]))[0] for i in range(0, len(rows), 64)])


def pair_level(net, rows, kept=0.975):
    """(temperature, level): figures at or over the level retire at most 1 - kept of the held out pairs that must stay."""
    logits = pair_logits(net, rows)
    label = torch.tensor([data.relation(r) for r in rows])
    at = label < 5
    gone = (label < 2).float()

    def wrong(z):
        p = F.softmax(z, 1)[:, :2].sum(1).clamp(1e-6, 1 - 1e-6)
        return F.binary_cross_entropy(p[at], gone[at])

    t = temperature(logits, wrong)
    figure = F.softmax(logits / t, 1)[:, :2].sum(1)
    stay = figure[(label >= 2) & at].numpy()
    return float(t), float(np.quantile(stay, kept)) + 1e-4


def keep_level(net, rows, precise=0.9, silent=0.93):
    """(temperature, level, level of candidates) of sentences: the lowest level with that precision and silence. What is
    held out is harder than what people write (half of its texts only look like statements, see README.md), so these are
    below the goals of the product, .93 and .97."""
    rows = [r for r in rows if not r["file"].startswith("E")]
    results = evaluate.read(net, rows)
    z, label, quiet = [], [], []
    for n, (r, (said, _)) in enumerate(zip(rows, results)):
        want = {(a, b): t for a, b, t in data.sentence_targets(r)}
        for a, b, p in said:
            if want[a, b] != data.IGNORE:
                z.append(np.log(np.maximum(p, 1e-9)))
                label.append(want[a, b])
            if not r["memories"]:
                quiet.append((n, np.log(np.maximum(p, 1e-9))))
    z, label = torch.tensor(np.array(z)), torch.tensor(label)
    t = temperature(z, lambda y: F.cross_entropy(y, label))
    figure = 1 - F.softmax(z / t, 1)[:, 0].numpy()
    loud = {}
    for n, y in quiet:
        loud[n] = max(loud.get(n, 0), 1 - float(F.softmax(torch.tensor(y) / t, 0)[0]))
    loud = np.array(list(loud.values()))
    right = label.numpy() > 0
    sure = maybe = 0.99
    for level in np.arange(0.99, 0.3, -0.01):
        got = figure >= level
        if got.sum() and right[got].mean() >= precise and (loud < level).mean() >= silent:
            sure = level
        if got.sum() and right[got].mean() >= 0.8:
            maybe = level
    return float(t), round(float(sure), 2), round(float(maybe), 2)


def tensors(texts, pairs):
    out = {}
    for prefix, net in (("", texts), ("pair.", pairs)):
        for name, value in net.encoder.named_parts():
            out[prefix + name] = value
    out["head.case.weight"], out["head.mark.weight"] = texts.case.weight, pairs.mark.weight
    for name, part in (("keep", texts.keep), ("name", texts.name), ("pair", pairs.pair)):
        for i, at in (("0", 0), ("1", 3)):
            out[f"head.{name}.{i}.weight"], out[f"head.{name}.{i}.bias"] = part[at].weight, part[at].bias
    return {k: v.detach().half().contiguous() for k, v in out.items()}


@torch.no_grad()
def golden(texts, pairs, keep_t, pair_t, text_rows, pair_rows):
    for r in text_rows:
        for x, spans in evaluate.windows(texts.encoder.tokenizer, r):
            states = texts.states([x])
            items = [(a, b, at) for a, b in spans if len(at := evaluate.inside(x.spans, a, b)) >= 2]
            p = F.softmax(texts.sentence(states, [(0, at) for _, _, at in items]) / keep_t, 1) if items else []
            named = F.softmax(texts.name(states), 2)[0]
            yield {"speaker": r.get("speaker"), "text": r["text"], "ids": x.ids, "cases": x.extra, "spans": x.spans,
                   "sentences": [{"start": a, "end": b, "tokens": at, "p": [round(float(v), 5) for v in q]}
                                 for (a, b, at), q in zip(items, p)],
                   "name_tags": [int(v) for v in named.argmax(1)],
                   "name_p": [round(float(v), 5) for v in named.max(1).values],
                   "names": [[a, b, k, round(f, 5)] for a, b, k, f in evaluate.names(named.numpy(), x.spans, r["text"])]}
    for r in pair_rows:
        old, new = data.sides(r)
        x = pairs.inputs([(old, new)])[0]
        p = F.softmax(pairs([x])[0] / pair_t, 1)[0]
        yield {"old": old, "new": new, "ids": x.ids, "marks": x.extra, "segments": x.segments,
               "p": [round(float(v), 5) for v in p]}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--base", required=True)
    p.add_argument("--texts", required=True)
    p.add_argument("--pairs", required=True)
    p.add_argument("--out", required=True)
    args = p.parse_args()
    texts, pairs = Texts(args.base), Pairs(args.base)
    texts.load_state_dict(torch.load(args.texts))
    pairs.load_state_dict(torch.load(args.pairs))
    round_half(texts)
    round_half(pairs)
    text_rest, pair_rest = data.text_rows()[1], data.pair_rows()[1]
    keep_t, keep_sure, keep_maybe = keep_level(texts, text_rest)
    pair_t, pair_sure = pair_level(pairs, pair_rest)
    about = {
        "keep": {"labels": KEEP, "temperature": round(keep_t, 2), "level": keep_sure, "candidate": keep_maybe},
        "name": {"labels": NAME_TAGS, "level": evaluate.NAME_LEVEL, "titles": sorted(evaluate.TITLES)},
        "pair": {"labels": RELATIONS, "temperature": round(pair_t, 2), "level": round(pair_sure, 4)},
        "shapes": model.SHAPES, "marks": model.MARKS, "longest": model.LONGEST, "longest_pair": model.LONGEST_PAIR,
        "text_input": "[CLS] speaker: text [SEP]; speaker is \"user\" where none is known",
        "pair_input": "[CLS] speaker: old [SEP] speaker: new [SEP]; segments 0 up to the first [SEP], then 1",
    }
    os.makedirs(args.out, exist_ok=True)
    save_file(tensors(texts, pairs), os.path.join(args.out, "reader.safetensors"),
              {"format": "pt", "reader": json.dumps(about)})
    said = [r for r in text_rest if not r["file"].startswith("E")]
    documents = [r for r in text_rest if r["file"].startswith("E")]
    long = sorted(said, key=lambda r: -len(r["text"]))[:2]
    twice = {"speaker": long[0]["speaker"], "text": long[0]["text"] + "\n\n" + long[1]["text"] + "\n\n" + long[0]["text"]}
    chosen = said[::max(1, len(said) // 44)][:44] + documents[::max(1, len(documents) // 15)][:15] + [twice]
    lines = list(golden(texts, pairs, round(keep_t, 2), round(pair_t, 2), chosen,
                        pair_rest[::max(1, len(pair_rest) // 40)][:40]))
    with open(os.path.join(args.out, "golden.jsonl"), "w") as f:
        for x in lines:
            f.write(json.dumps(x, ensure_ascii=False) + "\n")
    print(json.dumps(about, indent=1))
    print(len(lines), "golden lines")


if __name__ == "__main__":
    main()

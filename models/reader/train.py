#!/usr/bin/env python3
"""Trains the two bodies of the reader.

    train.py pairs --base FOLDER --out pairs.pt [--epochs 10] [--minutes 25]
    train.py texts --base FOLDER --out texts.pt [--epochs 8]  [--minutes 25]

FOLDER holds model.safetensors and tokenizer.json of all-MiniLM-L6-v2. What is held out is scored at the end.
"""
import argparse
import json
import os
import random
import time

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # waiting threads leave the cores to others
os.environ.setdefault("GOMP_SPINCOUNT", "0")

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import data
import evaluate
from model import Pairs, Texts

# Nine of ten tokens are no name, and the rare kinds would be learned last.
NAME_WEIGHTS = torch.tensor([0.5] + [w for w in (1.0, 1.0, 1.5, 1.5, 2.0, 2.0) for _ in range(2)])


def pair_loss(net, rows, args):
    inputs = net.inputs([data.sides(r) for r in rows])
    logits, x = net(inputs)
    label = torch.tensor([data.relation(r) for r in rows])
    loss = F.cross_entropy(logits, label, label_smoothing=0.05)
    gone = torch.logsumexp(logits[:, :2], 1) - torch.logsumexp(logits[:, 2:], 1)
    sure = label != 5
    loss = loss + F.binary_cross_entropy_with_logits(gone[sure], (label[sure] < 2).float() * 0.96 + 0.02)
    if args.value:
        want = data.padded([data.value_targets(r, i) for r, i in zip(rows, inputs)])
        loss = loss + args.value * F.cross_entropy(net.value(x).transpose(1, 2), want)
    return loss


def text_loss(net, rows, args):
    inputs = net.inputs(rows)
    x = net.states(inputs)
    keep, name = zip(*(data.token_targets(r, i.spans) for r, i in zip(rows, inputs)))
    named = net.name(F.dropout(x, 0.1, net.training)).float().transpose(1, 2)
    loss = args.names * F.cross_entropy(named, data.padded(name), weight=NAME_WEIGHTS)
    want = data.padded(keep)
    if (want != data.IGNORE).any():
        loss = loss + 0.5 * F.cross_entropy(net.token(x).transpose(1, 2), want)
    items, labels = [], []
    for n, (r, i) in enumerate(zip(rows, inputs)):
        for a, b, label in data.sentence_targets(r):
            at = evaluate.inside(i.spans, a, b)
            if label != data.IGNORE and len(at) >= 2:
                items.append((n, at))
                labels.append(label)
    if items:
        loss = loss + F.cross_entropy(net.sentence(x, items), torch.tensor(labels), label_smoothing=0.03)
    return loss


def batches(rows, size, dice, length):
    """One pass over the rows in batches of like length, in random order."""
    rows = dice.sample(rows, len(rows))
    out = []
    for start in range(0, len(rows), 16 * size):
        part = sorted(rows[start:start + 16 * size], key=length)
        out += [part[i:i + size] for i in range(0, len(part), size)]
    dice.shuffle(out)
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["pairs", "texts"])
    p.add_argument("--base", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--epochs", type=float, default=8)
    p.add_argument("--rate", type=float, default=1e-4)
    p.add_argument("--heads", type=float, default=5, help="the rate of the heads, as a multiple of that of the body")
    p.add_argument("--names", type=float, default=2, help="weight of the loss of names")
    p.add_argument("--size", type=int, default=32)
    p.add_argument("--value", type=float, default=0.2)
    p.add_argument("--vary", type=int, default=1)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--minutes", type=float, default=25)
    p.add_argument("--all", type=int, default=0, help="1: train on what is held out as well")
    p.add_argument("--start", help="weights to go on from")
    p.add_argument("--twice", default="", help="files that are read twice in each pass, by a part of their name")
    p.add_argument("--only", default="", help="train on these files only, by a part of their name")
    p.add_argument("--float32", action="store_true", help="no bfloat16 (for processors without it)")
    args = p.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    dice = random.Random(args.seed)

    train, rest = data.pair_rows() if args.what == "pairs" else data.text_rows()
    if args.all:
        train = train + rest
    if args.only:
        train = [x for x in train if any(o in x["file"] for o in args.only.split(","))]
    if args.twice:
        train = train + [x for x in train if any(o in x["file"] for o in args.twice.split(","))]
    net = Pairs(args.base) if args.what == "pairs" else Texts(args.base)
    if args.start:
        net.load_state_dict(torch.load(args.start))
    loss_of = pair_loss if args.what == "pairs" else text_loss
    vary = (data.Vary if args.what == "pairs" else data.VaryNames)(train, dice) if args.vary else lambda x: x
    length = (lambda x: len(x["old"]) + len(x["new"])) if args.what == "pairs" else (lambda x: len(x["text"]))
    body = [v for n, v in net.named_parameters() if n.startswith("encoder.") and v.requires_grad]
    heads = [v for n, v in net.named_parameters() if not n.startswith("encoder.")]
    opt = torch.optim.AdamW([{"params": body}, {"params": heads}], weight_decay=0.01, fused=True)
    steps = int(args.epochs * len(train) / args.size)
    print(f"{args.what}: {len(train)} rows to train, {len(rest)} held out, {steps} steps", flush=True)

    began, todo, losses = time.time(), [], []
    step, late = 0, False
    while step < steps and not late:
        if not todo:
            todo = batches(train, args.size, dice, length)
        step += 1
        net.train()
        spent = max(step / steps, (time.time() - began) / (args.minutes * 60))  # ends in time on a slow machine too
        pace = min(1, step / (0.06 * steps)) * max(0.02, 1 - spent)
        opt.param_groups[0]["lr"], opt.param_groups[1]["lr"] = args.rate * pace, args.heads * args.rate * pace
        opt.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=not args.float32):
            loss = loss_of(net, [vary(r) for r in todo.pop()], args)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        losses.append(loss.item())
        late = spent >= 1
        if step % 50 == 0:
            print(f"step {step} loss {np.mean(losses[-50:]):.3f} {time.time() - began:.0f} s", flush=True)
    torch.save(net.state_dict(), args.out)
    figures = evaluate.pairs(net, rest) if args.what == "pairs" else evaluate.texts(net, rest)
    print(json.dumps({"seconds": round(time.time() - began), "steps": step}))
    print(figures, flush=True)


if __name__ == "__main__":
    main()

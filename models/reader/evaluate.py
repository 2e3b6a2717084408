#!/usr/bin/env python3
"""Scores the reader on what is held out, and on a truth set, without the engine.

    evaluate.py held  --base FOLDER [--texts texts.pt] [--pairs pairs.pt]
    evaluate.py truth --base FOLDER [--texts texts.pt] [--pairs pairs.pt] --truth truth.jsonl
    evaluate.py wrong --base FOLDER --pairs pairs.pt        what is held out and judged wrongly
"""
import argparse
import json
import re
from collections import Counter

import numpy as np
import torch
import torch.nn.functional as F

import data
from model import KEEP, KINDS, LONGEST, NAMES, RELATIONS, Input, Pairs, Texts, pair_input, sentences, text_input


def inside(spans, a, b):
    """The tokens of a sentence: those that begin in it."""
    return [i for i, (s, t) in enumerate(spans) if t > s >= a and s < b]


# --- pairs -----------------------------------------------------------------------------------------------------------
@torch.no_grad()
def judge(net, pairs, size=64, temperature=1.0):
    """Probabilities (n, RELATIONS) of [("speaker: old", "speaker: new")]."""
    net.eval()
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][0]) + len(pairs[i][1]))
    out = np.zeros((len(pairs), len(RELATIONS)), np.float32)
    for start in range(0, len(order), size):
        part = order[start:start + size]
        logits, _ = net(net.inputs([pairs[i] for i in part]))
        out[part] = F.softmax(logits / temperature, 1).numpy()
    return out


def area(gone, stay):
    return ((gone[:, None] > stay[None]).mean() + (gone[:, None] == stay[None]).mean() / 2) if len(gone) * len(stay) else 0


def pair_table(figure, label, file):
    gone, stay = figure[label < 2], figure[(label >= 2) & (label < 5)]
    safe = np.quantile(stay, 0.97)
    out = [f"AUC {area(gone, stay):.3f}; at kept .97 (level {safe:.3f}) retired {(gone > safe).mean():.2f}; "
           + "; ".join(f"[{t}] retired {(gone >= t).mean():.2f} kept {(stay < t).mean():.3f}" for t in (0.5, 0.7, 0.85))]
    for f in sorted(set(file)):
        at = np.array([x == f for x in file])
        g, s = figure[at & (label < 2)], figure[at & (label >= 2) & (label < 5)]
        out.append(f"{f}: {at.sum()} pairs, AUC {area(g, s):.3f}, retired {(g > safe).mean():.2f} kept {(s <= safe).mean():.2f}")
    return "\n  ".join(out)


def pairs(net, rows):
    p = judge(net, [data.sides(r) for r in rows])
    label = np.array([data.relation(r) for r in rows])
    head = f"relation right {(p.argmax(1) == label).mean():.3f}: " + " ".join(
        f"{r} {(p.argmax(1)[label == i] == i).mean():.2f}" for i, r in enumerate(RELATIONS) if (label == i).any())
    return "held out pairs: " + head + "\n  " + pair_table(p[:, :2].sum(1), label, [r["file"] for r in rows])


# --- texts -----------------------------------------------------------------------------------------------------------
def windows(tokenizer, row):
    """A text as inputs of at most LONGEST tokens, cut between sentences: [(input, [sentence spans])]."""
    text, spans = row["text"], sentences(row["text"])
    whole = text_input(tokenizer, row.get("speaker"), text, 10 ** 9)
    first = sum(1 for a, _ in whole.spans[:-1] if a < 0)  # [CLS] and the speaker
    out, here, used = [], [], first + 1
    for a, b in spans:
        n = len(inside(whole.spans, a, b))
        if here and used + n > LONGEST:
            out.append(here)
            here, used = [], first + 1
        here.append((a, b))
        used += n
    out.append(here)
    if len(out) == 1:
        return [(text_input(tokenizer, row.get("speaker"), text), spans)]
    made = []
    for part in out:
        at = list(range(first)) + [i for a, b in part for i in inside(whole.spans, a, b)][:LONGEST - first - 1]
        last = len(whole.ids) - 1
        at.append(last)
        made.append((Input([whole.ids[i] for i in at], [whole.spans[i] for i in at], [whole.extra[i] for i in at]), part))
    return made


@torch.no_grad()
def read(net, rows, size=32):
    """For each row: ([(start, end, probabilities of KEEP)], [(start, end, kind of name, figure)])."""
    net.eval()
    todo = [(n, x, spans) for n, r in enumerate(rows) for x, spans in windows(net.encoder.tokenizer, r)]
    todo.sort(key=lambda t: len(t[1].ids))
    out = [([], []) for _ in rows]
    for start in range(0, len(todo), size):
        part = todo[start:start + size]
        states = net.states([x for _, x, _ in part])
        named = F.softmax(net.name(states), 2).numpy()
        for i, (n, x, spans) in enumerate(part):
            items = [(a, b, at) for a, b in spans if len(at := inside(x.spans, a, b)) >= 2]
            if items:
                p = F.softmax(net.sentence(states, [(i, at) for _, _, at in items]), 1).numpy()
                out[n][0].extend((a, b, q) for (a, b, _), q in zip(items, p))
            out[n][1].extend(names(named[i], x.spans, rows[n]["text"]))
    for said, named in out:
        said.sort(key=lambda s: s[0])
        named.sort(key=lambda s: s[0])
    return out


NAME_LEVEL = 0.5  # names with a lower figure are none
TITLES = set("dr mr mrs ms miss mx mme madame monsieur frau herr prof professor sir lady lord rev reverend fr father sister "
             "brother bishop deacon captain capt col major sgt sheikh ustad don doña dom señor señora aunt uncle auntie".split())


def names(p, spans, text):
    """Names from the tags of the tokens: [(start, end, kind, mean figure)]. The first piece of a word decides for the
    whole word; words with a "next" tag of the same kind join the name before them."""
    out, words = [], []
    for i, (a, b) in enumerate(spans):
        if a < 0 or b <= a:
            continue
        if words and a == words[-1][1] and text[a - 1].isalnum() and text[a].isalnum():
            words[-1][1] = b
        else:
            words.append([a, b, i])
    before = None
    for a, b, i in words:
        kind_p = p[i, 1::2] + p[i, 2::2]
        kind = int(kind_p.argmax())
        if p[i, 0] >= kind_p.sum() or kind_p[kind] < p[i, 0]:
            before = None
            continue
        first = p[i, 1 + 2 * kind] >= p[i, 2 + 2 * kind]
        if before is not None and before[2] == kind and "\n" not in text[before[1]:a] and (
                not first or initial(text[before[0]:before[1]])):
            before[1] = b
            before[3].append(float(kind_p[kind]))
        else:
            before = [a, b, kind, [float(kind_p[kind])]]
            out.append(before)
    made = [(*tidy(text, a, b, NAMES[k]), NAMES[k], float(np.mean(f))) for a, b, k, f in out]
    return [n for n in made if n[3] >= NAME_LEVEL and sum(c.isalnum() for c in text[n[0]:n[1]]) > 1]


def initial(s):
    """True for one letter, with or without a full stop: what follows belongs to it."""
    return s[:1].isalpha() and s[1:] in ("", ".")


def tidy(text, a, b, kind):
    """A name without signs at its ends (a last full stop stays behind a letter that stands alone), and a person without
    titles in front."""
    while a < b and not text[a].isalnum():
        a += 1
    while a < b and not text[b - 1].isalnum() and not (text[b - 1] == "." and b - 2 >= a and text[b - 2].isalpha()
                                                       and (b - 3 < a or not text[b - 3].isalnum())):
        b -= 1
    word = re.match(r"(\w+)\.?\s+", text[a:b])
    while kind == "person" and word and word.group(1).lower() in TITLES:
        a += word.end()
        word = re.match(r"(\w+)\.?\s+", text[a:b])
    return a, b


def said_table(rows, results):
    """By sentence, on rows with sentence targets: precision, recall, silence, at several levels."""
    figure, label, kind, quiet = [], [], [], []
    for r, (said, _) in zip(rows, results):
        if r["file"].startswith("E"):
            continue
        want = {(a, b): t for a, b, t in data.sentence_targets(r)}
        for a, b, p in said:
            if want[a, b] != data.IGNORE:
                figure.append(1 - p[0])
                label.append(want[a, b])
                kind.append(1 + p[1:].argmax())
        if not r["memories"]:
            quiet.append(max([1 - p[0] for _, _, p in said], default=0))
    figure, label, kind, quiet = map(np.array, (figure, label, kind, quiet))
    out = []
    for t in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        got = figure >= t
        out.append(f"[{t}] P {(label[got] > 0).mean():.3f} R {got[label > 0].mean():.3f} "
                   f"kind {(kind == label)[got & (label > 0)].mean():.2f} silent {(quiet < t).mean():.3f}")
    return f"sentences {len(label)} ({(label > 0).sum()} kept), silent texts {len(quiet)}\n  " + "\n  ".join(out)


def name_table(rows, results, kinds=NAMES):
    hit, got, want = Counter(), Counter(), Counter()
    for r, (_, named) in zip(rows, results):
        w = {(e["name"].lower(), e["kind"]) for e in r["entities"]}
        g = {(r["text"][a:b].lower(), k) for a, b, k, _ in named}
        for k in kinds:
            hit[k] += sum(1 for x in w & g if x[1] == k)
            got[k] += sum(1 for x in g if x[1] == k)
            want[k] += sum(1 for x in w if x[1] == k)
    return "  ".join(f"{k} P {hit[k] / max(1, got[k]):.2f} R {hit[k] / max(1, want[k]):.2f} ({want[k]})" for k in kinds)


def texts(net, rows):
    results = read(net, rows)
    out = ["held out texts: " + said_table(rows, results)]
    for part in ("B", "E"):
        at = [i for i, r in enumerate(rows) if r["file"].startswith(part)]
        out.append(f"names {part}: " + name_table([rows[i] for i in at], [results[i] for i in at]))
    return "\n".join(out)


# --- truth -----------------------------------------------------------------------------------------------------------
def truth_said(cases, results, levels=(0.5, 0.6, 0.7, 0.8, 0.9, 0.95)):
    out = []
    for level in levels:
        right = wrong = found = wanted = kind = silent = empty = 0
        for x, (said, _) in zip(cases, results):
            got, used = [(x["text"][a:b], KEEP[1 + p[1:].argmax()]) for a, b, p in said if 1 - p[0] >= level], set()
            for m in x["memories"]:
                wanted += 1
                hit = [j for j, g in enumerate(got) if all(w.lower() in g[0].lower() for w in m["must"])]
                if hit:
                    found += 1
                    used.update(hit)
                    kind += got[hit[0]][1] == m["type"].replace("event", "episode")
            if not x["memories"]:
                empty += 1
                silent += not got
            right, wrong = right + len(used), wrong + len(got) - len(used)
        out.append(f"[{level}] P {right / max(1, right + wrong):.2f} R {found / wanted:.2f} kind {kind / max(1, found):.2f} "
                   f"silent {silent / max(1, empty):.2f}")
    return "said " + "  ".join(out)


def truth_names(cases, results):
    fields = (("person", "persons"), ("place", "places"), ("organisation", "organisations"))
    rows = [x | {"entities": [{"name": n, "kind": k} for k, f in fields for n in x[f]]} for x in cases]
    traps = sum(any(x["text"][a:b].lower() == t.lower() and k in ("person", "place", "organisation") for a, b, k, _ in named)
                for x, (_, named) in zip(cases, results) for t in x["not"])
    return "names " + name_table(rows, results, [k for k, _ in fields]) + f"  traps {traps}"


def truth_pairs(net, cases, level=None):
    stories = {}
    for x in cases:
        says = [(m.get("speaker") or "user") + ": " + m["text"] for m in x["messages"]]
        stories.setdefault(x.get("class", "events") + " " + x["expect"], []).append(
            [(says[i], says[j]) for j in range(1, len(says)) for i in range(j)])
    figures = judge(net, [p for items in stories.values() for item in items for p in item])[:, :2].sum(1)
    at, by = 0, {}
    for name, items in stories.items():
        by[name] = []
        for item in items:
            by[name].append(figures[at:at + len(item)].max())
            at += len(item)
    gone = np.concatenate([v for k, v in by.items() if k.endswith("replaced")])
    stay = np.concatenate([v for k, v in by.items() if k.endswith("kept")])
    safe = np.quantile(stay, 0.97)
    out = "; ".join([f"[{t}] replaced {(gone >= t).mean():.2f} kept {(stay < t).mean():.3f}" for t in (0.5, 0.7, 0.85, 0.9, 0.95)])
    level = level or safe

    def right(key):
        return f"{np.mean([(f > level) == key.endswith('replaced') for f in by[key]]):.2f}" if key in by else "-"

    table = "  ".join(f"{c} {right(c + ' replaced')}/{right(c + ' kept')}" for c in sorted({k.split()[0] for k in by}))
    return (f"pairs AUC {area(gone, stay):.3f}; at kept .97 (level {safe:.3f}) replaced {(gone > safe).mean():.2f}; {out}\n"
            f"  at level {level:.3f}, replaced/kept right by class: {table}")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["held", "truth", "wrong"])
    p.add_argument("--base", required=True)
    p.add_argument("--texts")
    p.add_argument("--pairs")
    p.add_argument("--truth")
    args = p.parse_args()
    text_net = pair_net = None
    if args.texts:
        text_net = Texts(args.base)
        text_net.load_state_dict(torch.load(args.texts))
    if args.pairs:
        pair_net = Pairs(args.base)
        pair_net.load_state_dict(torch.load(args.pairs))
    if args.what == "held":
        print(pairs(pair_net, data.pair_rows()[1]) if pair_net else "", texts(text_net, data.text_rows()[1]) if text_net else "", sep="\n")
    elif args.what == "wrong":
        rows = data.pair_rows()[1]
        q = judge(pair_net, [data.sides(r) for r in rows])
        for r, f in sorted(zip(rows, q), key=lambda t: t[1][data.relation(t[0])]):
            if f.argmax() != data.relation(r):
                print(r["file"], r["relation"], "->", RELATIONS[f.argmax()], f"{f[:2].sum():.2f}", *data.sides(r), sep=" | ")
    else:
        cases = [json.loads(line) for line in open(args.truth)]
        if text_net:
            said, entity = ([x for x in cases if x["kind"] == k] for k in ("said", "entity"))
            print(truth_said(said, read(text_net, said)))
            print(truth_names(entity, read(text_net, entity)))
        if pair_net:
            print(truth_pairs(pair_net, [x for x in cases if x["kind"] in ("pair", "events")]))


if __name__ == "__main__":
    main()

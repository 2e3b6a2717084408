"""The reader: two bodies (one for texts, one for pairs of statements) and their heads, and how their input is made.

Everything here is repeated in Go: the splitter, the shapes, the marks, the limits. Keep both alike (golden.jsonl).
"""
import re

import torch
import torch.nn.functional as F
from torch import nn

from encoder import WIDTH, Encoder

KINDS = ["fact", "preference", "task", "episode", "decision"]
KEEP = ["none"] + KINDS
NAMES = ["person", "place", "organisation", "product", "work", "event"]
NAME_TAGS = ["none"] + [f"{x} {part}" for x in NAMES for part in ("first", "next")]
RELATIONS = ["replaces", "ends", "same", "adds", "independent", "contradicts"]
SHAPES = ["none", "capital", "capitals", "lower", "mixed", "letters and digits", "digits", "code", "capital at start"]
MARKS = ["none", "shared", "own number"]
LONGEST = 220  # tokens of a text, [CLS], speaker and [SEP] counted
LONGEST_PAIR = 90  # tokens of each of two statements
CLS, SEP = 101, 102

# --- sentences -------------------------------------------------------------------------------------------------------
BREAK = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|;\s+|\n\s*|\s[-–—]\s")
SHORT = {"dr", "mr", "mrs", "ms", "prof", "st", "no", "nr", "vs", "e.g", "i.e", "approx", "ca", "sr", "jr", "inc", "ltd"}
WORD_BEFORE = re.compile(r"[A-Za-z.]+$")


def sentences(text):
    """Spans (start, end) of the sentences, in characters. Together they are the whole text.

    A break stands after . ! ? … (and closing quotes and brackets) before white space, after "; ", at an end of line,
    and at a dash between spaces. No break: less than 4 characters since the last one; after a full stop behind one of
    the words of SHORT or one letter."""
    out, start = [], 0
    for m in BREAK.finditer(text):
        if m.end() - start < 4:
            continue
        if m.group()[0] == "." and m.group().rstrip() == "." and "\n" not in m.group():
            before = WORD_BEFORE.search(text[start:m.start()])
            word = before.group().lower() if before else ""
            if word in SHORT or (len(word) == 1 and word != "i"):
                continue
        out.append((start, m.end()))
        start = m.end()
    if start < len(text):
        out.append((start, len(text)))
    return out


# --- input -----------------------------------------------------------------------------------------------------------
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
CODE = re.compile(r"[_/\\=<>{}@#$|~`]|::|\(\)")
START = re.compile(r"(?:^|[.!?:…\n])[\s\"'“”‘’(\[*>#-]*$")


def shape(text, a, b):
    """The shape of the word that holds the characters a..b of the text; 0 where there is none."""
    if a < 0 or b <= a:
        return 0
    left = a
    while left > 0 and not text[left - 1].isspace():
        left -= 1
    right = b
    while right < len(text) and not text[right].isspace():
        right += 1
    for m in WORD.finditer(text, left, right):
        if m.start() <= a < m.end():
            break
    else:
        return 0
    w = m.group()
    if CODE.search(text[left:right]):
        return 7
    letters, digits = any(c.isalpha() for c in w), any(c.isdigit() for c in w)
    if digits:
        return 5 if letters else 6
    if not letters or not w[0].isalpha():
        return 0
    plain = re.sub(r"['’].*", "", w)
    if w[0].isupper() and (len(plain) == 1 or plain[1:].islower()):
        return 8 if START.search(text[max(0, m.start() - 8):m.start()]) else 1
    if len(plain) > 1 and plain.isupper():
        return 2
    return 3 if plain.islower() else 4 if any(c.isupper() for c in w) else 3


def speaker(name):
    return (name or "user") + ": "


class Input:
    """Token ids, spans in the text (negative: the speaker's part), extra ids (shape or mark), segments."""

    def __init__(self, ids, spans, extra, segments=None):
        self.ids, self.spans, self.extra, self.segments = ids, spans, extra, segments or [0] * len(ids)


def text_input(tokenizer, who, text, longest=LONGEST):
    """[CLS] speaker: text [SEP], cut after `longest` tokens (the last one is then [SEP] again)."""
    prefix = speaker(who)
    code = tokenizer.encode(prefix + text)
    ids, spans = code.ids, [(a - len(prefix), b - len(prefix)) for a, b in code.offsets]
    spans[0] = spans[-1] = (-1, -1)
    if len(ids) > longest:
        ids, spans = ids[:longest - 1] + [SEP], spans[:longest - 1] + [(-1, -1)]
    return Input(ids, spans, [shape(text, a, b) for a, b in spans])


def pair_input(tokenizer, old, new, longest=LONGEST_PAIR):
    """[CLS] old [SEP] new [SEP]; old and new are "speaker: text" (spans count from there). Marks: 1 a token that both hold, 2 a number that
    only one holds. Tokens of one character that are no digit or letter have none."""
    sides = []
    for x in (old, new):
        code = tokenizer.encode(x)
        sides.append((code.ids[1:-1][:longest - 2], code.tokens[1:-1][:longest - 2], code.offsets[1:-1][:longest - 2]))
    ids, spans, marks, segments = [CLS], [(-1, -1)], [0], [0]
    for side, (own, tokens, offsets) in enumerate(sides):
        other = set(sides[1 - side][0])
        spans += offsets + [(-1, -1)]
        for i, t in zip(own, tokens):
            plain = t.removeprefix("##")
            ids.append(i)
            segments.append(side)
            marks.append(0 if not plain.isalnum() else 1 if i in other else 2 if plain.isdigit() else 0)
        ids.append(SEP)
        marks.append(0)
        segments.append(side)
    return Input(ids, spans, marks, segments)


def batch(inputs):
    length = max(len(x.ids) for x in inputs)
    out = torch.zeros(4, len(inputs), length, dtype=torch.long)
    for i, x in enumerate(inputs):
        n = len(x.ids)
        out[0, i, :n], out[1, i, :n] = torch.tensor(x.ids), 1
        out[2, i, :n], out[3, i, :n] = torch.tensor(x.segments), torch.tensor(x.extra)
    return out[0], out[1].bool(), out[2], out[3]


# --- models ----------------------------------------------------------------------------------------------------------
def mean(x, mask):
    """Mean of the states (batch, length, width) where the mask (batch, length) is true."""
    w = mask.to(x.dtype)[:, :, None]
    return (x * w).sum(1) / w.sum(1).clamp(min=1)


def top(x, mask):
    """Greatest value of each dimension where the mask is true."""
    return x.masked_fill(~mask[:, :, None], -1e4).amax(1)


def two_layers(width, hidden, out):
    return nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, out))


class Texts(nn.Module):
    """For each sentence: what kind of statement it is, or none. For each token: which name it belongs to, or none."""

    def __init__(self, base):
        super().__init__()
        self.encoder = Encoder(base)
        self.case = nn.Embedding(len(SHAPES), WIDTH)
        nn.init.zeros_(self.case.weight)
        self.keep = two_layers(2 * WIDTH, 128, len(KEEP))
        self.token = nn.Linear(WIDTH, len(KEEP))  # helps the training only
        self.name = two_layers(WIDTH, 128, len(NAME_TAGS))

    def inputs(self, rows):
        return [text_input(self.encoder.tokenizer, r.get("speaker"), r["text"]) for r in rows]

    def states(self, inputs):
        tokens, mask, segment, extra = batch(inputs)
        return self.encoder(tokens, mask, segment, self.case(extra))

    def sentence(self, states, items):
        """items: (row of the batch, token indices) for each sentence. Returns logits (sentences, KEEP)."""
        pooled = [torch.cat([states[i, at].mean(0), states[i, at].amax(0)]) for i, at in items]
        return self.keep(F.dropout(torch.stack(pooled), 0.1, self.training))


class Pairs(nn.Module):
    """The relation of a newer statement to an older one."""

    def __init__(self, base):
        super().__init__()
        self.encoder = Encoder(base)
        self.mark = nn.Embedding(len(MARKS), WIDTH)
        nn.init.zeros_(self.mark.weight)
        self.pair = two_layers(5 * WIDTH, 256, len(RELATIONS))
        self.value = nn.Linear(WIDTH, 3)  # helps the training only: which words are the value that changes

    def inputs(self, pairs):
        return [pair_input(self.encoder.tokenizer, old, new) for old, new in pairs]

    def forward(self, inputs):
        tokens, mask, segment, extra = batch(inputs)
        x = self.encoder(tokens, mask, segment, self.mark(extra))
        a, b = mean(x, mask & (segment == 0)), mean(x, mask & (segment == 1))
        h = torch.cat([x[:, 0], a, b, (a - b).abs(), a * b], 1)
        return self.pair(F.dropout(h, 0.1, self.training)), x

"""Step 3. Vocabulary, phrases, the feature matrix (own / lemma / character n-grams / WordNet synsets with hypernyms) and the
tokenised pairs, to prep/*.npz.

    WORK=<folder> [MAXV=56000] [MINC=3] [NB=16384] python3 prepare.py
"""
import collections
import glob
import json
import os
import time

import numpy as np

from extract import load_wordnet, WORDNET
import tokeniser

WORK = os.environ.get('WORK', os.getcwd())  # everything that is made goes here
OUT = WORK + '/'
os.makedirs(OUT + 'prep', exist_ok=True)
MAX_WORDS = int(os.environ.get('MAXV', '56000'))
MIN_COUNT = int(os.environ.get('MINC', '3'))
BUCKETS = int(os.environ.get('NB', '16384'))
MAX_TOKENS = 72
started = time.time()
synsets, index = load_wordnet()
phrase_candidates = set()
for l in index:
    w = tokeniser.words(l)
    if 2 <= len(w) <= 3 and all((x.isalpha() for x in w)):
        phrase_candidates.add(' '.join(w))
first = set((p.split()[0] for p in phrase_candidates))


def tokens(s, ph):
    w = tokeniser.words(s)
    return tokeniser.join_phrases(w, ph) if ph else w


counts = collections.Counter()
text_files = sorted(glob.glob(OUT + 'text/*.txt'))
for f in text_files:
    c = collections.Counter()
    for line in open(f):
        c.update(tokens(line, phrase_candidates))
    k = 0.2 if os.path.basename(f)[:-4] in ('sgd', 'taskmaster') else 1
    for w, n in c.items():
        counts[w] += max(1, int(n * k)) if n * k >= 1 else 0
for line in open(OUT + 'pairs/personal.tsv'):
    counts.update(tokens(line.replace('\t', ' '), phrase_candidates))
print('types', len(counts), 'tokens', sum(counts.values()), time.time() - started)
phrases = [p for p in phrase_candidates if counts[p] >= 5]
phrases = set(sorted(phrases, key=lambda p: -counts[p])[:9000])
kept_words = [w for w, n in counts.most_common() if ' ' not in w and n >= MIN_COUNT][:MAX_WORDS]
vocab = kept_words + sorted(phrases, key=lambda p: -counts[p])
vocab_id = {w: i for i, w in enumerate(vocab)}
V = len(vocab)
total = sum(counts.values())
print('vocab', len(kept_words), 'phrases', len(phrases), 'coverage', sum((counts[w] for w in vocab)) / total)
exceptions = {}
for pos in ('noun', 'verb', 'adj', 'adv'):
    for line in open(f'{WORDNET}/{pos}.exc'):
        f = line.split()
        exceptions.setdefault((pos[0] if pos != 'adv' else 'r', f[0]), f[1])
SUFFIX_RULES = {'n': [('ches', 'ch'), ('shes', 'sh'), ('sses', 'ss'), ('xes', 'x'), ('zes', 'z'), ('ies', 'y'), ('men', 'man'), ('s', '')], 'v': [('ies', 'y'), ('es', 'e'), ('es', ''), ('ed', 'e'), ('ed', ''), ('ing', 'e'), ('ing', ''), ('s', '')], 'a': [('er', ''), ('est', ''), ('er', 'e'), ('est', 'e')], 'r': []}
senses = collections.defaultdict(dict)
for l, ss in index.items():
    for s, r in ss:
        senses[s[0], ' '.join(tokeniser.words(l))][s] = r


def lemmas(w):
    """WordNet lemmas of a word, like morphy."""
    out = []
    for pos in 'nvar':
        if (pos, w) in senses:
            out.append((pos, w))
        e = exceptions.get((pos, w))
        if e and (pos, e) in senses and ((pos, e) not in out):
            out.append((pos, e))
            continue
        for a, b in SUFFIX_RULES[pos]:
            if w.endswith(a) and len(w) - len(a) + len(b) >= 2:
                l = w[:len(w) - len(a)] + b
                if l != w and (pos, l) in senses:
                    out.append((pos, l))
                    break
    return out


sense_counts = collections.Counter()
for line in open(f'{WORDNET}/cntlist.rev'):
    f = line.split()
    k = f[0].split('%')
    sense_counts[k[0].replace('_', ' '), k[1][0]] += int(f[2])
SENSE_NUMBER = {'n': '1', 'v': '2', 'a': '3', 'r': '4'}
synset_id = {s: i for i, s in enumerate(synsets)}
hyper = {s: [t for a, t, c in v['ptr'] if a in ('@', '@i') and t in synsets] for s, v in synsets.items()}
related = {s: [t for a, t, c in v['ptr'] if a in ('+', '&', '\\') and t in synsets] for s, v in synsets.items()}
lemma_ids = {}


def lemma_id(l):
    return lemma_ids.setdefault(l, len(lemma_ids))


S = len(synset_id)
OWN = 0
NG = V
SY = V + BUCKETS
LE = SY + S


def wordnet_features(w):
    """Lemmas, synsets, hypernyms up to depth 4 and related synsets of a word, weighted by sense frequency."""
    f = collections.Counter()
    ls = lemmas(w)
    if not ls:
        return f
    pw = {}
    for pos, l in ls:
        pw[pos, l] = sense_counts[l, SENSE_NUMBER[pos]] + (3 if pos == 'n' else 1)
    tot = sum(pw.values())
    for (pos, l), p in pw.items():
        f[LE + lemma_id(l)] = 1.0
        for s, r in senses[pos, l].items():
            if r > 2:
                continue
            q = p / tot * (0.6, 0.25, 0.15)[r]
            f[SY + synset_id[s]] += q
            cur = [s]
            dec = 0.6
            for depth in range(4):
                nx = [h for c in cur for h in hyper[c][:2]]
                for h in nx:
                    f[SY + synset_id[h]] += q * dec / max(1, len(nx))
                cur = nx
                dec *= 0.6
                if not cur:
                    break
            for t in related[s][:3]:
                f[SY + synset_id[t]] += q * 0.4
    return f


row_starts = [0]
columns = []
values = []


def add(f):
    """Appends one row to the feature matrix."""
    for k, x in f.items():
        columns.append(k)
        values.append(x)
    row_starts.append(len(columns))


def ngram_features(w):
    g = tokeniser.grams(w, BUCKETS)
    return [(NG + x, 1 / len(g) ** 0.5) for x in g]


for w in vocab:
    f = collections.Counter({OWN + vocab_id[w]: 1.0})
    if ' ' in w:
        for p in w.split():
            if p in vocab_id:
                f[OWN + vocab_id[p]] += 0.5
            for k, x in wordnet_features(p).items():
                f[k] += 0.3 * x
    else:
        for k, x in ngram_features(w):
            f[k] += x
    for k, x in wordnet_features(w).items():
        f[k] += x
    add(f)
twin = {}
next_id = V
for w in kept_words:
    if counts[w] <= 30:
        twin[w] = next_id
        next_id += 1
        f = collections.Counter()
        [f.update({k: x}) for k, x in ngram_features(w)]
        add(f)
unknown_ids = {}


def unknown_id(w):
    global next_id
    i = unknown_ids.get(w)
    if i is None:
        i = unknown_ids[w] = next_id
        next_id += 1
        f = collections.Counter()
        for k, x in ngram_features(w):
            f[k] += x
        add(f)
    return i


names = []


def encode(s):
    return [vocab_id[t] if t in vocab_id else unknown_id(t) for t in tokens(s, phrases)][:MAX_TOKENS]


for f in sorted(glob.glob(OUT + 'pairs/*.tsv')):
    n = os.path.basename(f)[:-4]
    A = []
    ao = [0]
    Bb = []
    bo = [0]
    for line in open(f):
        a, b = line.rstrip('\n').split('\t')[:2]
        x = encode(a)
        y = encode(b)
        if not x or not y:
            continue
        A += x
        ao.append(len(A))
        Bb += y
        bo.append(len(Bb))
    np.savez(OUT + f'prep/p_{n}.npz', a=np.array(A, np.int32), ao=np.array(ao, np.int64), b=np.array(Bb, np.int32), bo=np.array(bo, np.int64))
    names.append(n)
    print(n, len(ao) - 1, len(A), len(Bb), round(time.time() - started), flush=True)
LE_N = len(lemma_ids)
F = LE + LE_N
twin_of = np.full(next_id, -1, np.int32)
for w, i in twin.items():
    twin_of[vocab_id[w]] = i
c = np.ones(next_id)
for w, i in vocab_id.items():
    c[i] = max(1, counts[w])
for w, i in twin.items():
    c[i] = max(1, counts[w])
np.savez(OUT + 'prep/feat.npz', indptr=np.array(row_starts, np.int64), ind=np.array(columns, np.int32), val=np.array(values, np.float32), twin=twin_of, cnt=c, total=total, layout=np.array([V, BUCKETS, S, LE_N, F]))
json.dump(dict(vocab=vocab, phrases=sorted(phrases), names=names, NB=BUCKETS), open(OUT + 'prep/meta.json', 'w'))
print('done V', V, 'ids', next_id, 'features', F, 'nnz', len(columns), round(time.time() - started))

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

import tokeniser
from wordnet import WordNet

WORK = os.environ.get('WORK', os.getcwd())  # everything that is made goes here
OUT = WORK + '/'
os.makedirs(OUT + 'prep', exist_ok=True)
MAX_WORDS = int(os.environ.get('MAXV', '56000'))
MIN_COUNT = int(os.environ.get('MINC', '3'))
BUCKETS = int(os.environ.get('NB', '16384'))
MAX_TOKENS = 72
started = time.time()
net = WordNet()
synsets, index = net.synsets, net.index
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
synset_id = {s: i for i, s in enumerate(synsets)}
lemma_ids = {}


def lemma_id(l):
    return lemma_ids.setdefault(l, len(lemma_ids))


S = len(synset_id)
OWN = 0
NG = V
SY = V + BUCKETS
LE = SY + S


def wordnet_features(w):
    """The columns of a word's lemmas and synsets."""
    return collections.Counter({LE + lemma_id(k[1]) if k[0] == 'lemma' else SY + synset_id[k[1]]: x for k, x in net.features(w).items()})


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

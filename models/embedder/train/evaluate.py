"""Measures on STS-B, LoCoMo, Cranfield, Vaswani and a list of 20 hand-made queries, with BM25 and n-gram baselines. The sets are
read from EVAL and MIRROR and are never trained on; nothing of them is kept here.
"""
from functools import lru_cache
import collections
import csv
import functools
import io
import json
import math
import os
import subprocess

from scipy.stats import spearmanr
import numpy as np

import tokeniser

WORK = os.environ.get('WORK', os.getcwd())  # everything that is made goes here
EVAL = os.environ.get('EVAL', '')  # folder of evaluation sets, never used for training
FOLDER = EVAL + '/'


@functools.cache
def stsb():
    r = {}
    for sp in ('dev', 'test'):
        t = subprocess.run(['git', '-C', os.environ['MIRROR'] + '/PhilipMay+stsb-multi-mt/repo', 'show', f'HEAD:data/stsb-en-{sp}.csv'], capture_output=True, text=True).stdout
        r[sp] = [(a, b, float(c)) for a, b, c in csv.reader(io.StringIO(t))]
    return r


def sts(enc, sp):
    d = stsb()[sp]
    A = enc([x[0] for x in d])
    Bv = enc([x[1] for x in d])
    return spearmanr((A * Bv).sum(1), [x[2] for x in d]).correlation * 100


def load(f):
    return [json.loads(l) for l in open(FOLDER + f)]


STOP = set('a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it its me my not of on or our she should so some such that the their them then there these they this those to was we were what when where which who why will with would you your'.split())


def stemmed(s):
    return [stem(w) for w in tokeniser.words(s) if w not in STOP]

@lru_cache(300000)


def stem(w):
    for suf, rep in (('ational', 'ate'), ('ization', 'ize'), ('fulness', 'ful'), ('ousness', 'ous'), ('iveness', 'ive'), ('ingly', ''), ('edly', ''), ('ies', 'y'), ('ing', ''), ('ed', ''), ('ly', ''), ('es', ''), ('s', '')):
        if w.endswith(suf) and len(w) - len(suf) >= 3:
            w = w[:-len(suf)] + rep
            break
    if len(w) > 4 and w[-1] == w[-2] and (w[-1] not in 'lsz'):
        w = w[:-1]
    if len(w) > 4 and w.endswith('e'):
        w = w[:-1]
    return w


class BM25:

    def __init__(self, docs, k1=0.9, b=0.4):
        self.N = len(docs)
        self.df = collections.Counter()
        self.inv = collections.defaultdict(list)
        L = [len(d) for d in docs]
        av = sum(L) / max(1, len(L))
        for i, d in enumerate(docs):
            c = collections.Counter(d)
            for w, f in c.items():
                self.df[w] += 1
                self.inv[w].append((i, f * (k1 + 1) / (f + k1 * (1 - b + b * L[i] / av))))

    def score(self, q):
        r = np.zeros(self.N)
        for w in set(q):
            if w in self.inv:
                idf = math.log(1 + (self.N - self.df[w] + 0.5) / (self.df[w] + 0.5))
                for i, x in self.inv[w]:
                    r[i] += idf * x
        return r


def turn_text(t):
    return t['speaker'] + ': ' + t['text'] + (' ' + t['caption'] if t.get('caption') else '') if t['speaker'] else t['text']


def min_max(s):
    a, b = (s.min(), s.max())
    return (s - a) / (b - a) if b > a else s * 0


def reciprocal_rank(*ss):
    r = 0
    for s in ss:
        o = np.argsort(-s, kind='stable')
        k = np.empty(len(o))
        k[o] = np.arange(len(o))
        r = r + 1 / (61 + k)
    return r


def metrics(ranked, ev):
    ev = set(ev)
    out = {}
    for k in (1, 5, 10, 25):
        out[f'r{k}'] = len(ev & set(ranked[:k])) / len(ev)
    dcg = sum((1 / math.log2(i + 2) for i, x in enumerate(ranked[:10]) if x in ev))
    idcg = sum((1 / math.log2(i + 2) for i in range(min(10, len(ev)))))
    out['nd'] = dcg / idcg
    out['mrr'] = next((1 / (i + 1) for i, x in enumerate(ranked) if x in ev), 0)
    return out


def ngram_vectors(texts, N=3):
    from scipy.sparse import csr_matrix
    rows = []
    cols = []
    val = []
    for i, t in enumerate(texts):
        s = ' ' + ' '.join(tokeniser.words(t)) + ' '
        c = collections.Counter((tokeniser.fnv(s[j:j + k].encode()) % 65536 for k in (3, 4, 5) for j in range(len(s) - k + 1)))
        for g, f in c.items():
            rows.append(i)
            cols.append(g)
            val.append(1 + math.log(f))
    return csr_matrix((val, (rows, cols)), shape=(len(texts), 65536))


_cache = {}


def lexical_scores(f, D, c, i):
    k = (f, i)
    if k not in _cache:
        T = [turn_text(t) for t in c['turns']]
        docs = [stemmed(t) for t in T]
        bm = BM25(docs)
        m = ngram_vectors(T)
        df = np.asarray((m > 0).sum(0)).ravel()
        idf = np.log(1 + len(T) / np.maximum(df, 1))
        from scipy.sparse import diags
        m = m @ diags(idf)
        nr = np.sqrt(m.multiply(m).sum(1)).A.ravel()
        m = diags(1 / np.maximum(nr, 1e-09)) @ m
        qs = [q for q in c['questions'] if q['evidence']]
        Q = ngram_vectors([q['text'] for q in qs]) @ diags(idf)
        _cache[k] = (T, [bm.score(stemmed(q['text'])) for q in qs], (Q @ m.T).toarray())
    return _cache[k]


def locomo(enc, f, modes=('vec', 'bm25', 'lin', 'rrf', 'ngram'), skip_adv=True, ctx=0.0, lw=0.6):
    D = load(f)
    acc = collections.defaultdict(lambda: collections.defaultdict(list))
    for i, c in enumerate(D):
        T, bms, ngs = lexical_scores(f, D, c, i)
        ids = [t['id'] for t in c['turns']]
        qs = [q for q in c['questions'] if q['evidence']]
        V = enc(T) if enc else None
        Qv = enc([q['text'] for q in qs]) if enc else None
        if enc is not None and ctx:
            W = V.copy()
            ses = [t['session'] for t in c['turns']]
            for j in range(len(T)):
                for o, w in ((-1, ctx), (1, ctx * 0.5)):
                    if 0 <= j + o < len(T) and ses[j + o] == ses[j]:
                        W[j] += w * V[j + o]
            V = W / np.maximum(np.linalg.norm(W, axis=1, keepdims=True), 1e-09)
        for n, q in enumerate(qs):
            if skip_adv and q.get('category') == 'adversarial':
                continue
            bm = bms[n]
            v = V @ Qv[n] if enc else None
            for m in modes:
                if enc is None and m in ('vec', 'lin', 'rrf', 'lin4'):
                    continue
                s = {'vec': lambda: v, 'bm25': lambda: bm, 'lin': lambda: lw * min_max(v) + (1 - lw) * min_max(bm), 'lin4': lambda: 0.4 * min_max(v) + 0.6 * min_max(bm), 'rrf': lambda: reciprocal_rank(v, bm), 'ngram': lambda: ngs[n], 'nglin': lambda: 0.6 * min_max(ngs[n]) + 0.4 * min_max(bm)}[m]()
                r = [ids[j] for j in np.argsort(-s, kind='stable')]
                for kk, x in metrics(r, q['evidence']).items():
                    acc[m][kk].append(x)
    return {m: {k: round(100 * float(np.mean(x)), 2) for k, x in a.items()} for m, a in acc.items()}


QUALITATIVE = [('automobile repair', 'fixing my car'), ('favourite beverage', 'I love drinking tea'), ('place of residence', 'I live in Lisbon'), ('what pet does she have', 'I adopted a golden retriever'), ('occupation', 'I work as a nurse at the hospital'), ('physical exercise routine', 'I go jogging every morning'), ('musical talent', 'Sarah plays the violin'), ('marital status', 'we got married last spring'), ('holiday destination', 'our trip to Greece was wonderful'), ('medical problem', 'I was diagnosed with diabetes'), ("children's education", 'my son started kindergarten'), ('financial difficulty', "I can't pay my rent this month"), ('employer', 'I joined Google last year'), ('academic degree', 'he graduated from university with a biology major'), ('spicy cuisine', 'she enjoys curry and hot peppers'), ('siblings', 'my brother and sister visited'), ('weather conditions', 'it rained heavily all afternoon'), ('purchase of a dwelling', 'they bought a new house'), ('programming language preference', 'I mostly write Python code'), ('fear of heights', 'standing on tall buildings makes me anxious')]


def qualitative(enc, full=False):
    A = enc([a for a, b in QUALITATIVE])
    Bv = enc([b for a, b in QUALITATIVE])
    S = A @ Bv.T
    d = np.diag(S)
    off = (S.sum(1) - d) / (len(QUALITATIVE) - 1)
    acc = (S.argmax(1) == np.arange(len(QUALITATIVE))).mean()
    if full:
        for i, (a, b) in enumerate(QUALITATIVE):
            print(f'{a:34s} | {b:52s} cos {d[i]:.2f}  mean other {off[i]:.2f}  rank {1 + int((S[i] > d[i]).sum())}')
    return dict(acc1=round(100 * float(acc), 1), mrr=round(100 * float(np.mean([1 / (1 + (S[i] > d[i]).sum()) for i in range(len(QUALITATIVE))])), 1), cos=round(float(d.mean()), 3), off=round(float(off.mean()), 3))


def report(enc, full=False, test=False):
    r = {'stsb-dev': round(sts(enc, 'dev'), 2), 'qual': qualitative(enc)}
    r['locomo-dev'] = locomo(enc, 'locomo.dev.jsonl', ('vec', 'lin', 'rrf'))
    if full:
        r['cranfield'] = locomo(enc, 'cranfield.jsonl', ('vec', 'bm25', 'lin', 'rrf', 'ngram'))
        r['vaswani'] = locomo(enc, 'vaswani.jsonl', ('vec', 'bm25', 'lin', 'rrf', 'ngram'))
    if test:
        r['stsb-test'] = round(sts(enc, 'test'), 2)
        r['locomo-test'] = locomo(enc, 'locomo.test.jsonl')
    return r


if __name__ == '__main__':
    for f in ('locomo.dev.jsonl', 'cranfield.jsonl', 'vaswani.jsonl'):
        print(f, locomo(None, f, ('bm25', 'ngram', 'nglin')))

"""Measures models on 20 held-out queries that share no content word with their answers, against BM25 and character n-grams.
"""
import sys

import numpy as np

import evaluate
import export

HELD_OUT = [('transportation to the office', 'she takes the subway downtown every weekday'), ('favorite singer', "he is a huge fan of Taylor Swift's songs"), ('dietary restriction', 'I stopped eating meat and dairy'), ('sleep problems', 'I lie awake most of the night'), ('home renovation', 'we are remodeling the kitchen'), ('career change', 'she quit banking to become a teacher'), ('reading habits', 'he finishes a novel every week'), ('newborn baby', 'our daughter was delivered on Tuesday'), ('athletic injury', 'I twisted my ankle playing soccer'), ('travel by airplane', 'our flight landed late at night'), ('database outage', 'the PostgreSQL server crashed again'), ('deploying software', 'we shipped the release to production'), ('photography equipment', 'he bought a Nikon lens'), ('religious practice', 'they pray at the mosque on Fridays'), ('loss of a relative', 'my grandfather passed away in June'), ('romantic partner', 'my boyfriend cooked dinner'), ('legal dispute', 'they are suing the landlord in court'), ('foreign tongue', 'I am taking Spanish lessons'), ('wealthy person', 'a billionaire purchased the island'), ('garden vegetables', 'we harvested tomatoes and zucchini')]
CANDIDATES = [b for a, b in HELD_OUT] + [b for a, b in evaluate.QUALITATIVE]


def bm25_similarity(qs, cs):
    docs = [evaluate.stemmed(c) for c in cs]
    bm = evaluate.BM25(docs)
    return np.stack([bm.score(evaluate.stemmed(q)) for q in qs])


def ngram_similarity(qs, cs):
    m = evaluate.ngram_vectors(cs + qs).toarray()
    m /= np.linalg.norm(m, axis=1, keepdims=True)
    return m[len(cs):] @ m[:len(cs)].T


def report(name, S, show=False):
    n = len(HELD_OUT)
    d = S[np.arange(n), np.arange(n)]
    rk = np.array([1 + (S[i] > d[i]).sum() + 0.5 * ((S[i] == d[i]).sum() - 1) for i in range(n)])
    print(f'{name:28s} top-1 {100 * (rk == 1).mean():.0f}%  top-3 {100 * (rk <= 3).mean():.0f}%  MRR {100 * (1 / rk).mean():.1f}  cos {d.mean():.2f} vs other {(S.sum() - d.sum()) / (S.size - n):.2f}')
    if show:
        for i, (a, b) in enumerate(HELD_OUT):
            print(f'   {a:28s} | {b:46s} {d[i]:.2f}  others {np.delete(S[i], i).mean():.2f}  rank {rk[i]:.0f}')


q = [a for a, b in HELD_OUT]
report('BM25', bm25_similarity(q, CANDIDATES))
report('char n-grams', ngram_similarity(q, CANDIDATES))
for i, p in enumerate(sys.argv[1:]):
    m = export.Model(p)
    report(p, m(q) @ m(CANDIDATES).T, i == 0)

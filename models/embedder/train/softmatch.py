"""Measures soft BM25: every query term also matches its embedding neighbours in the vocabulary of the documents.
"""
import collections
import json
import sys

import numpy as np

from encoder import Encoder
import evaluate
import tokeniser

meta = json.load(open('prep/meta.json'))
phrases = set(meta['phrases'])


def run(name, f, tau, g, lam, skip_adv=True, k1=0.9, b=0.4):
    z = np.load(name + '.npz')
    e = Encoder(z['v'], z['ng'], meta)
    D = evaluate.load(f)
    acc = collections.defaultdict(lambda: collections.defaultdict(list))
    for ci, c in enumerate(D):
        T, bms, _ = evaluate.lexical_scores(f, D, c, ci)
        ids = [t['id'] for t in c['turns']]
        qs = [q for q in c['questions'] if q['evidence']]
        toks = [[w for w in tokeniser.words(t) if w not in evaluate.STOP] for t in T]
        surf = collections.defaultdict(set)
        for t in toks:
            for w in t:
                surf[evaluate.stem(w)].add(w)
        terms = list(surf)
        tid = {s: i for i, s in enumerate(terms)}
        E = np.stack([sum((e.token_vector(w) for w in surf[s])) for s in terms])
        E /= np.linalg.norm(E, axis=1, keepdims=True) + 1e-09
        N = len(T)
        L = np.array([max(1, len(t)) for t in toks])
        av = L.mean()
        inv = collections.defaultdict(list)
        for i, t in enumerate(toks):
            for s, n in collections.Counter((evaluate.stem(w) for w in t)).items():
                inv[tid[s]].append((i, n * (k1 + 1) / (n + k1 * (1 - b + b * L[i] / av))))
        df = np.array([len(inv[i]) for i in range(len(terms))])
        idf = np.log(1 + (N - df + 0.5) / (df + 0.5))
        V = e(T)
        Qv = e([q['text'] for q in qs])
        for n, q in enumerate(qs):
            if skip_adv and q.get('category') == 'adversarial':
                continue
            ex = np.zeros(N)
            for w in set((w for w in tokeniser.words(q['text']) if w not in evaluate.STOP)):
                s = evaluate.stem(w)
                qv = e.token_vector(w)
                qv = qv / (np.linalg.norm(qv) + 1e-09)
                sim = E @ qv
                best = np.zeros(N)
                own = tid.get(s, -1)
                if own >= 0:
                    for i, x in inv[own]:
                        best[i] = idf[own] * x
                cand = [j for j in np.argsort(-sim)[:12] if sim[j] > tau and j != own]
                for j in cand:
                    wgt = lam * sim[j] ** g * (min(idf[j], idf[own]) if own >= 0 else idf[j])
                    for i, x in inv[j]:
                        best[i] = max(best[i], wgt * x)
                ex += best
            v = V @ Qv[n]
            for m, s in (('bm25', bms[n]), ('soft', ex), ('lin4', 0.4 * evaluate.min_max(v) + 0.6 * evaluate.min_max(bms[n])), ('soft+lin4', 0.4 * evaluate.min_max(v) + 0.6 * evaluate.min_max(ex)), ('soft+lin25', 0.25 * evaluate.min_max(v) + 0.75 * evaluate.min_max(ex))):
                r = [ids[j] for j in np.argsort(-s, kind='stable')]
                for kk, x in evaluate.metrics(r, q['evidence']).items():
                    acc[m][kk].append(x)
    return {m: {k: round(100 * float(np.mean(x)), 2) for k, x in a.items() if k in ('r5', 'r10', 'r25', 'nd')} for m, a in acc.items()}


if __name__ == '__main__':
    n = sys.argv[1]
    for tau, g, lam in ((0.4, 1, 0.8), (0.5, 2, 0.8), (0.35, 2, 1)):
        for f in ('locomo.dev.jsonl', 'cranfield.jsonl'):
            print(n, f, tau, g, lam, run(n, f, tau, g, lam), flush=True)

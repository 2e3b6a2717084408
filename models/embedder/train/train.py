"""Step 6. Contrastive training of a bag-of-features static encoder: symmetric InfoNCE with in-batch negatives, element-wise
Adagrad, numpy and the small C kernels of kernels.c. About 4 CPU-minutes.

    PREP=prep_p python3 train.py --out run --steps 1500 --lr .1 --temp .05 --owndrop .5 \
        --weights synthq=.5,docs=.5 --B 2048
"""
import argparse
import ctypes
import json
import math
import os
import time

os.environ.setdefault('OMP_NUM_THREADS', '2')  # before numpy is loaded
os.environ.setdefault('OPENBLAS_NUM_THREADS', '2')

import numpy as np

WORK = os.environ.get('WORK', os.getcwd())  # everything that is made goes here
ap = argparse.ArgumentParser()
option = ap.add_argument
option('--dim', type=int, default=256)
option('--B', type=int, default=1024)
option('--minutes', type=float, default=5)
option('--lr', type=float, default=0.05)
option('--temp', type=float, default=0.06)
option('--out', default='run1')
option('--seed', type=int, default=1)
option('--sifa', type=float, default=0.001)
option('--over', type=float, default=0.4)
option('--drop', type=float, default=0.1)
option('--eval', type=float, default=3)
option('--weights', default='')
option('--homog', type=int, default=256)
option('--maxsyn', type=int, default=8)
option('--ngcut', type=float, default=300)
option('--maxlen', type=int, default=64)
option('--cpu', type=float, default=0)
option('--resume', default='')
option('--steps', type=int, default=0)
option('--owndrop', type=float, default=0)
option('--fdrop', type=float, default=0)
ARGS = ap.parse_args()
rng = np.random.default_rng(ARGS.seed)
dim = ARGS.dim
PREP = os.environ.get('PREP', 'prep')
kernels = ctypes.CDLL(WORK + '/' + 'kernels.so')
pointer = lambda x: ctypes.c_void_p(x.ctypes.data) if x is not None else None
int64 = ctypes.c_int64
z = np.load(WORK + '/' + PREP + '/feat.npz')
meta = json.load(open(WORK + '/' + PREP + '/meta.json'))
row_starts, columns, values, twin, counts, total = (z['indptr'], z['ind'], z['val'], z['twin'], z['cnt'], float(z['total']))
vocab_size, bucket_count, synset_count, lemma_count, feature_count = [int(x) for x in z['layout']]
id_count = len(row_starts) - 1


def thin():
    """Drops n-grams of frequent words and all but the strongest synsets of a word."""
    global row_starts, columns, values
    row = np.repeat(np.arange(id_count), np.diff(row_starts))
    keep = np.ones(len(columns), bool)
    keep &= ~((row < vocab_size) & (columns >= vocab_size) & (columns < vocab_size + bucket_count) & (counts[row] > ARGS.ngcut))
    sy = (columns >= vocab_size + bucket_count) & (columns < vocab_size + bucket_count + synset_count)
    o = np.lexsort((-values, row, ~sy))
    o = o[:sy.sum()]
    r = row[o]
    first = np.searchsorted(r, r, side='left')
    rank = np.arange(len(r)) - first
    keep[o[rank >= ARGS.maxsyn]] = False
    columns = np.ascontiguousarray(columns[keep].astype(np.int32))
    values = np.ascontiguousarray(values[keep])
    row_starts = np.concatenate([[0], np.cumsum(np.bincount(row[keep], minlength=id_count))]).astype(np.int64)


thin()
print('features/word', len(columns) / id_count, 'in vocab', row_starts[vocab_size] / vocab_size)
g0 = np.random.default_rng(0)
theta = g0.standard_normal((feature_count, dim), dtype=np.float32) / math.sqrt(dim)
theta[:vocab_size] *= 0.3
theta[vocab_size:vocab_size + bucket_count] *= 0.5
adagrad = np.zeros((feature_count, dim), np.float32)
sif = (ARGS.sifa / (ARGS.sifa + counts / total)).astype(np.float32)
sif[vocab_size:] = np.minimum(sif[vocab_size:], 0.9)
log_scale = np.zeros(id_count, np.float32)
log_scale_adagrad = np.zeros(id_count, np.float32)
if ARGS.resume:
    q = np.load(WORK + '/' + ARGS.resume + '_state.npz')
    theta = q['th']
    adagrad = q['acc']
    log_scale = q['ls']
    log_scale_adagrad = q['lacc']
stopid = counts / total > 0.002
SOURCE_WEIGHTS = dict(openstax=1.2, ebooks=0.5, wordnet=0.45, personal=0.5, selfdialogue=0.8, topicalchat=0.8, sgd=0.25, taskmaster=0.5, persona=1.2, intents=0.5, medquad=0.7, trivia=1, squad_qg=3, wikisplit=1, tldr=0.6, scitldr=1, factbook=0.6, docs=1)
for kv in ARGS.weights.split(','):
    if kv:
        k, v = kv.split('=')
        SOURCE_WEIGHTS[k] = float(v)
sources = {}
for n in meta['names']:
    if SOURCE_WEIGHTS.get(n, 1) > 0:
        p = np.load(WORK + '/' + PREP + f'/p_{n}.npz')
        sources[n] = [p['a'], p['ao'], p['b'], p['bo'], len(p['ao']) - 1]
names = list(sources)
w = np.array([sources[n][4] * SOURCE_WEIGHTS.get(n, 1) for n in names])
w /= w.sum()
print({n: round(float(x), 3) for n, x in zip(names, w)})
perm = {n: [rng.permutation(sources[n][4]), 0] for n in names}


def take(n, k):
    """The next n pairs of a source, reshuffled after each pass."""
    out = []
    while k > 0:
        p, i = perm[n]
        t = p[i:i + k]
        out.append(t)
        k -= len(t)
        i += len(t)
        if i >= len(p):
            perm[n] = [rng.permutation(sources[n][4]), 0]
        else:
            perm[n][1] = i
    return np.concatenate(out)


def flat(arr, off, ids):
    s = off[ids]
    ln = np.minimum(off[ids + 1] - s, ARGS.maxlen)
    o = np.concatenate([[0], np.cumsum(ln)])
    return (arr[np.repeat(s - o[:-1], ln) + np.arange(o[-1])], ln)


def batch():
    """Blocks of pairs from one source each; in a share of them the shared words are removed from one side."""
    ta = []
    la = []
    tb = []
    lb = []
    for n in rng.choice(len(names), size=ARGS.B // ARGS.homog, p=w):
        a, ao, b, bo, _ = sources[names[n]]
        ids = take(names[n], ARGS.homog)
        x, lx = flat(a, ao, ids)
        y, ly = flat(b, bo, ids)
        if rng.random() < 0.5:
            x, lx, y, ly = (y, ly, x, lx)
        ta.append(x)
        la.append(lx)
        tb.append(y)
        lb.append(ly)
    x = np.concatenate(ta)
    lx = np.concatenate(la)
    y = np.concatenate(tb)
    ly = np.concatenate(lb)
    rx = np.repeat(np.arange(ARGS.B), lx)
    ry = np.repeat(np.arange(ARGS.B), ly)
    kx = rx.astype(np.int64) * id_count + x
    ky = ry.astype(np.int64) * id_count + y
    shared = np.isin(kx, ky) & ~stopid[x]
    left = np.bincount(rx, weights=~shared & ~stopid[x], minlength=ARGS.B)
    do = (rng.random(ARGS.B) < ARGS.over) & (left >= 1)
    keepx = ~(shared & do[rx])
    if ARGS.drop:
        keepx &= (rng.random(len(x)) > ARGS.drop) | (lx[rx] <= 3)
        keepy = (rng.random(len(y)) > ARGS.drop) | (ly[ry] <= 3)
    else:
        keepy = np.ones(len(y), bool)
    cx = np.bincount(rx[keepx], minlength=ARGS.B)
    e = cx == 0
    keepx |= e[rx]
    cy = np.bincount(ry[keepy], minlength=ARGS.B)
    e = cy == 0
    keepy |= e[ry]
    t = np.concatenate([x[keepx], y[keepy]])
    r = np.concatenate([rx[keepx], ry[keepy] + ARGS.B])
    tw = twin[t]
    m = (tw >= 0) & (rng.random(len(t)) < 0.1)
    t = np.where(m, tw, t)
    off = np.concatenate([[0], np.cumsum(np.bincount(r, minlength=2 * ARGS.B))]).astype(np.int64)
    return (t, off)


mark = np.zeros(max(id_count, feature_count), np.int32)


def unique(t, n):
    m = np.zeros(n, bool)
    m[t] = True
    u = np.flatnonzero(m)
    mark[u] = np.arange(len(u), dtype=np.int32)
    return (u, mark[t].astype(np.int32))


def bag(off, idx, v, srcm):
    """Weighted sums of rows."""
    o = np.empty((len(off) - 1, dim), np.float32)
    kernels.bag_fwd(int64(len(off) - 1), pointer(off), pointer(idx), pointer(v), pointer(srcm), ctypes.c_int(dim), pointer(o))
    return o


def transpose(off, idx, v, ns):
    to = np.empty(ns + 1, np.int64)
    ti = np.empty(len(idx), np.int32)
    tv = np.empty(len(idx), np.float32) if v is not None else None
    kernels.transpose(int64(len(off) - 1), pointer(off), pointer(idx), pointer(v), int64(ns), pointer(to), pointer(ti), pointer(tv))
    return (to, ti, tv)


def featrows(u):
    """The feature rows of ids."""
    s = row_starts[u]
    ln = row_starts[u + 1] - s
    o = np.concatenate([[0], np.cumsum(ln)]).astype(np.int64)
    pos = np.repeat(s - o[:-1], ln) + np.arange(o[-1])
    return (o, columns[pos], np.ascontiguousarray(values[pos]))


batch_index = np.arange(ARGS.B)


def step(lr):
    """One step of Adagrad; returns the loss."""
    t, off = batch()
    u, inv = unique(t, id_count)
    fo, fi, fv = featrows(u)
    if ARGS.owndrop:
        fv = np.where((fi < vocab_size) & (rng.random(len(fi)) < ARGS.owndrop), 0, fv).astype(np.float32)
    if ARGS.fdrop:
        fv = np.where(rng.random(len(fi)) < ARGS.fdrop, 0, fv).astype(np.float32)
    E = bag(fo, fi, fv, theta)
    wt = (sif[u] * np.exp(log_scale[u]))[:, None]
    Ew = E * wt
    X = bag(off, inv, None, Ew)
    nr = np.sqrt((X * X).sum(1, keepdims=True)) + 1e-09
    Q = X / nr
    a, b = (Q[:ARGS.B], Q[ARGS.B:])
    lg = a @ b.T * (1 / ARGS.temp)
    pos = lg[batch_index, batch_index].copy()
    np.exp(lg - 1 / ARGS.temp, out=lg)
    rs = lg.sum(1, keepdims=True)
    cs = lg.sum(0, keepdims=True)
    loss = float((np.log(rs[:, 0]) + np.log(cs[0]) + 2 / ARGS.temp - 2 * pos).mean() / 2)
    G = lg * (1 / rs + 1 / cs)
    G[batch_index, batch_index] -= 2
    G *= 1 / (2 * ARGS.B * ARGS.temp)
    dQ = np.concatenate([G @ b, G.T @ a])
    dX = (dQ - Q * (Q * dQ).sum(1, keepdims=True)) / nr
    dX = np.ascontiguousarray(dX, dtype=np.float32)
    to, ti, _ = transpose(off, inv, None, len(u))
    dEw = bag(to, ti, None, dX)
    gl = (dEw * Ew).sum(1)
    dE = dEw * wt
    uf, finv = unique(fi, feature_count)
    to, ti, tv = transpose(fo, finv, fv, len(uf))
    g = bag(to, ti, tv, dE)
    kernels.adagrad(int64(len(uf)), pointer(uf), pointer(theta), pointer(adagrad), pointer(g), ctypes.c_int(dim), ctypes.c_float(lr))
    la = log_scale_adagrad[u] + gl * gl
    log_scale_adagrad[u] = la
    log_scale[u] = np.clip(log_scale[u] - 0.5 * lr * gl / (np.sqrt(la) + 1e-09), -2.5, 2.5)
    return loss


def export():
    """(word vectors, n-gram bucket vectors), with importance in the length."""
    u = np.arange(vocab_size)
    o, i, v = featrows(u)
    out = bag(o, i, v, theta) * (sif[:vocab_size] * np.exp(log_scale[:vocab_size]))[:, None]
    tw = twin[twin >= 0]
    g = float(np.mean(sif[tw] * np.exp(log_scale[tw])))
    return (out, theta[vocab_size:vocab_size + bucket_count] * g)


def evaluate_and_save(i, save=False):
    """Saves the vectors when asked to, then measures them where EVAL names the evaluation sets."""
    v, ng = export()
    if save:
        np.savez(WORK + '/' + f'{ARGS.out}.npz', v=v, ng=ng)
        json.dump(dict(vars(ARGS), steps_done=i), open(WORK + '/' + f'{ARGS.out}.json', 'w'))
    if not os.environ.get('EVAL'):
        return
    from encoder import Encoder
    import evaluate
    e = Encoder(v, ng, meta)
    print('EVAL', i, 'stsb-dev %.2f' % evaluate.sts(e, 'dev'), evaluate.qualitative(e), evaluate.locomo(e, 'locomo.dev.jsonl', ('vec', 'lin', 'rrf')), flush=True)
    if save:
        print('FULL', {m: evaluate.locomo(e, m + '.jsonl', ('vec', 'lin', 'rrf')) for m in ('cranfield', 'vaswani')}, flush=True)


if __name__ == '__main__':
    t0 = time.time()
    c0 = time.process_time()
    tot = 0
    i = 0
    le = t0
    best = 0
    while True:
        frac = (time.process_time() - c0) / 60 / ARGS.cpu if ARGS.cpu else i / ARGS.steps if ARGS.steps else (time.time() - t0) / 60 / ARGS.minutes
        if frac >= 1:
            break
        tot += step(ARGS.lr * (1 - 0.93 * frac))
        i += 1
        if i % 50 == 0 and (i <= 200 or i % 200 == 0):
            print(i, 'loss %.4f' % (tot / (50 if i <= 200 else 200)), 'wall %.0f cpu %.0f ms/step' % ((time.time() - t0) / i * 1000.0, (time.process_time() - c0) / i * 1000.0), 'frac %.3f' % frac, flush=True)
            tot = 0
        if (time.time() - le) / 60 > ARGS.eval:
            evaluate_and_save(i)
            le = time.time()
    evaluate_and_save(i, True)
    np.savez(WORK + '/' + ARGS.out + '_state.npz', th=theta, acc=adagrad, ls=log_scale, lacc=log_scale_adagrad)

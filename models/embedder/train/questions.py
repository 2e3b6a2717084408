"""Step 5. Question-like queries made from dialogue statements by WordNet synonym and hypernym substitution, in the order of the
conversations; written as the source "synthq" of prep_p/.
"""
import collections
import json
import os
import random
import re

import numpy as np

from evaluate import STOP
from extract import load_wordnet, NAMES, OUT
import tokeniser

WORK = os.environ.get('WORK', os.getcwd())  # everything that is made goes here
random.seed(11)
synsets, index = load_wordnet()
meta = json.load(open(OUT + '/prep_p/meta.json'))
vocab_id = {w: i for i, w in enumerate(meta['vocab'])}
phrases = set(meta['phrases'])
STOP = STOP | set('im ive id dont didnt doesnt cant wont isnt its thats yeah yes no oh well really very just too also so like know think get got go going good great much many lot one ok okay hi hello hey thanks thank sure right thing things something anything any some more most other than only even still ever never always maybe well let lets see say said make made want need up out about over after before because if though been being am me mine us them they youre hes shes theyre theres whats lol haha wow nice cool pretty actually probably kind sort bit way back now then here there when while where'.split())


def first(w, pos):
    """The first sense of a word."""
    for s, r in index.get(w, []):
        if s[0] == pos and r == 0:
            return s


exceptions = {}
WORDNET = '/usr/share/wordnet'
for pos in ('noun', 'verb', 'adj'):
    for line in open(f'{WORDNET}/{pos}.exc'):
        f = line.split()
        exceptions[pos[0], f[0]] = f[1]
SUFFIX_RULES = {'n': [('ches', 'ch'), ('shes', 'sh'), ('sses', 'ss'), ('xes', 'x'), ('ies', 'y'), ('s', '')], 'v': [('ies', 'y'), ('es', 'e'), ('es', ''), ('ed', 'e'), ('ed', ''), ('ing', 'e'), ('ing', ''), ('s', '')]}
known_lemmas = set(((s[0], l) for l, ss in index.items() for s, r in ss))


def lemma(w):
    """(part of speech, lemma) of a word, or None."""
    for pos in 'nv':
        e = exceptions.get((pos, w))
        if e:
            return (pos, e)
    if ('n', w) in known_lemmas and (not w.endswith(('ing', 'ed'))):
        return ('n', w)
    for pos in 'vn':
        if (pos, w) in known_lemmas and (not (pos == 'v' and w.endswith('s'))):
            return (pos, w)
        for a, b in SUFFIX_RULES[pos]:
            if w.endswith(a) and len(w) - len(a) + len(b) > 2 and ((pos, w[:len(w) - len(a)] + b) in known_lemmas):
                return (pos, w[:len(w) - len(a)] + b)
    if ('a', w) in known_lemmas:
        return ('a', w)
    return None


def substitute(w):
    """A synonym, a hypernym, a related word or the lemma, by chance."""
    lm = lemma(w)
    if not lm:
        return w
    pos, l = lm
    s = first(l, pos)
    if not s:
        return w
    r = random.random()
    if r < 0.3:
        c = [x for x in synsets[s]['lem'] if x.lower() != l]
        if c:
            return random.choice(c)
    elif r < 0.5:
        h = [t for a, t, c in synsets[s]['ptr'] if a in ('@', '@i') and t in synsets]
        if h:
            return random.choice(synsets[h[0]]['lem'])
    elif r < 0.6:
        h = [t for a, t, c in synsets[s]['ptr'] if a in ('+', '*') and t in synsets]
        if h:
            return random.choice(synsets[random.choice(h)]['lem'])
    return l


TEMPLATES = ['what {k}', 'what did {n} {k}', 'what does {n} {k}', 'when did {n} {k}', 'where did {n} {k}', 'which {k} does {n} like', 'why did {n} {k}', 'how does {n} feel about {k}', 'what did {n} say about {k}', '{k}', '{n} {k}', 'who {k}', 'how long has {n} {k}', 'what kind of {k} does {n} have', 'did {n} {k}', 'what is the {k} of {n}', 'how many {k}', '{k} {n}', 'what are {n} plans for {k}', 'what happened with {k}']
cntw = collections.Counter()
utterances = []
for f in ('selfdialogue', 'persona', 'taskmaster', 'ebooks'):
    for line in open(f'{OUT}/text/{f}.txt'):
        line = line.strip()
        if f == 'ebooks':
            ss = re.split('(?<=[.!?])\\s+', line)
            line = ' '.join(ss[:2])
        utterances.append(line)
df = collections.Counter()
for u in utterances:
    df.update(set(tokeniser.words(u)))
A = []
ao = [0]
B = []
bo = [0]
n = 0
ex = []
name = None
for i, u in enumerate(utterances):
    if i % 10 == 0:
        pair = random.sample(NAMES, 2)
    nm = pair[i % 2]
    ws = [w for w in tokeniser.words(u) if w not in STOP and len(w) > 2 and (df[w] < len(utterances) * 0.02)]
    ws = list(dict.fromkeys(ws))
    if len(ws) < 3:
        continue
    for _ in range(2 if len(ws) > 6 else 1):
        k = random.choice([1, 2, 2, 3])
        pick = sorted(random.sample(range(len(ws)), min(k, len(ws) - 1)))
        q = random.choice(TEMPLATES).format(n=nm, k=' '.join((substitute(ws[j]) for j in pick)))
        p = nm + ': ' + u if random.random() < 0.8 else u
        enc = lambda s: [vocab_id[t] for t in tokeniser.join_phrases(tokeniser.words(s), phrases) if t in vocab_id][:72]
        x = enc(q)
        y = enc(p)
        if len(x) < 1 or len(y) < 3:
            continue
        A += x
        ao.append(len(A))
        B += y
        bo.append(len(B))
        n += 1
        if random.random() < 4e-05:
            ex.append((q, p))
np.savez(OUT + '/prep_p/p_synthq.npz', a=np.array(A, np.int32), ao=np.array(ao, np.int64), b=np.array(B, np.int32), bo=np.array(bo, np.int64))
if 'synthq' not in meta['names']:
    meta['names'].append('synthq')
    json.dump(meta, open(OUT + '/prep_p/meta.json', 'w'))
print(n, ex)

"""Step 4. The permissive subset: prep_p/ without share-alike sources (redis-doc, OWASP, Schema-Guided Dialogue, WikiSplit,
OpenTriviaQA, SQuAD questions, Topical-Chat).
"""
import json
import os
import shutil

import numpy as np

import extract
import tokeniser

WORK = os.environ.get('WORK', os.getcwd())  # everything that is made goes here
SHARE_ALIKE = ('sgd', 'wikisplit', 'trivia', 'squad_qg', 'topicalchat', 'cbow')
extract.OUT = WORK + '/perm'
for folder in ('perm/pairs', 'perm/text', 'prep_p'):
    os.makedirs(folder, exist_ok=True)
sources = [x for x in extract.DOCS if x[0] not in ('redis/redis-doc', 'OWASP/CheatSheetSeries')]
extract.markdown('docs', sources)
meta = json.load(open('prep/meta.json'))
vocab_id = {w: i for i, w in enumerate(meta['vocab'])}
phrases = set(meta['phrases'])
A = []
ao = [0]
B = []
bo = [0]
enc = lambda s: [vocab_id[t] for t in tokeniser.join_phrases(tokeniser.words(s), phrases) if t in vocab_id][:72]
for line in open('perm/pairs/docs.tsv'):
    a, b = line.rstrip('\n').split('\t')[:2]
    x = enc(a)
    y = enc(b)
    if x and y:
        A += x
        ao.append(len(A))
        B += y
        bo.append(len(B))
np.savez('prep_p/p_docs.npz', a=np.array(A, np.int32), ao=np.array(ao, np.int64), b=np.array(B, np.int32), bo=np.array(bo, np.int64))
print('docs', len(ao) - 1)
meta['names'] = [n for n in meta['names'] if n not in SHARE_ALIKE]
for name in ['feat'] + ['p_' + n for n in meta['names'] if n != 'docs']:
    shutil.copy(f'prep/{name}.npz', f'prep_p/{name}.npz')
json.dump(meta, open('prep_p/meta.json', 'w'))
print(meta['names'])

"""Encoder over the unpacked vectors, used to evaluate during training.
"""


import numpy as np

import tokeniser


class Encoder:
    """text -> sum of token vectors -> L2 norm."""

    def __init__(self, vectors, buckets, meta):
        self.vectors = vectors
        self.buckets = buckets
        self.vocab_id = {w: i for i, w in enumerate(meta['vocab'])}
        self.phrases = set(meta['phrases'])
        self.bucket_count = meta['NB']
        self.cache = {}

    def tokvec(self, w):
        i = self.vocab_id.get(w)
        if i is not None:
            return self.vectors[i]
        x = self.cache.get(w)
        if x is None:
            g = tokeniser.grams(w, self.bucket_count)
            x = self.buckets[g].sum(0) / len(g) ** 0.5
            self.cache[w] = x
        return x

    def one(self, text):
        ws = tokeniser.join_phrases(tokeniser.words(text), self.phrases)
        if not ws:
            return np.zeros(self.vectors.shape[1], np.float32)
        ids = [self.vocab_id.get(w, -1) for w in ws]
        x = self.vectors[[i for i in ids if i >= 0]].sum(0) if any((i >= 0 for i in ids)) else np.zeros(self.vectors.shape[1], np.float32)
        for w, i in zip(ws, ids):
            if i < 0:
                x = x + self.token_vector(w)
        return x

    def __call__(self, texts, dim=None):
        X = np.stack([self.one(text) for text in texts]).astype(np.float32)
        if dim:
            X = X[:, :dim]
        return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-09)

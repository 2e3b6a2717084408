"""Step 7a. Packs a training run into the int8 file format, version 1.

    PREP=prep_p python3 export.py <run> <out.bin> <dim> [max words] [max phrases]

Layout, little endian: "LUKAEMB1" | u32 header length | header JSON, padded with spaces to a multiple of 16 | vocabulary,
UTF-8, separated by newlines | zeros to a multiple of 16 | float32 scale per row | int8 rows. Rows are the vocabulary's, then
the n-gram buckets'.
"""
import hashlib
import json
import os
import struct
import sys

import numpy as np

import tokeniser

WORK = os.environ.get('WORK', os.getcwd())  # everything that is made goes here
PREP = os.environ.get('PREP', 'prep')
MAGIC = b'LUKAEMB1'


def in_work(*parts):
    return os.path.join(WORK, *parts)


def header_bytes(header):
    """The magic, the length and the JSON of a header, padded so that the vocabulary starts at a multiple of 16."""
    text = json.dumps(header, separators=(',', ':'), ensure_ascii=False).encode('utf8')
    text += b' ' * ((-len(text) - 12) % 16)
    return MAGIC + struct.pack('<I', len(text)) + text


def pack(run, out, dim, max_words=None, max_phrases=None, note=''):
    """Writes the file and returns its size and SHA-256."""
    trained = np.load(in_work(run + '.npz'))
    with open(in_work(PREP, 'meta.json')) as f:
        vocab = json.load(f)['vocab']
    vectors, buckets = trained['v'].astype(np.float32), trained['ng'].astype(np.float32)
    counts = np.load(in_work(PREP, 'feat.npz'))['cnt'][:len(vocab)]
    word_count = sum(' ' not in entry for entry in vocab)
    words = list(range(word_count))[:max_words or word_count]
    phrases = list(range(word_count, len(vocab)))[:max_phrases if max_phrases is not None else len(vocab)]
    if dim < vectors.shape[1]:  # PCA rotation of the table, weighted by token frequency; sums commute with it
        p = np.minimum(counts / counts.sum(), 1e-3)
        weighted = vectors * np.sqrt(p)[:, None]
        _, axes = np.linalg.eigh(weighted.T @ weighted)
        axes = axes[:, ::-1][:, :dim]
        vectors, buckets = vectors @ axes, buckets @ axes
    keep = words + phrases
    vocab = [vocab[i] for i in keep]
    rows = np.concatenate([vectors[keep], buckets])
    scales = np.abs(rows).max(1) / 127
    scales[scales == 0] = 1e-8
    values = np.clip(np.rint(rows / scales[:, None]), -127, 127).astype(np.int8)
    vocab_bytes = '\n'.join(vocab).encode('utf8')
    data = header_bytes(dict(
        format='luka-static-embedding', version=1, name=out, dim=int(dim), words=len(vocab), phrases=len(phrases),
        max_phrase_words=3, buckets=int(len(buckets)), ngram_min=tokeniser.NGRAM_MIN, ngram_max=tokeniser.NGRAM_MAX,
        ngram_hash='fnv1a32', oov='sum(bucket vectors)/sqrt(count)', pooling='sum, then L2 norm',
        quant='int8 symmetric, one float32 scale per row', vocab_bytes=len(vocab_bytes), lowercase=True,
        fold={chr(k): v for k, v in sorted(tokeniser.FOLD.items())}, note=note,
    )) + vocab_bytes
    data += b'\0' * ((-len(data)) % 16)
    data += scales.astype('<f4').tobytes() + values.tobytes()
    with open(in_work(out), 'wb') as f:
        f.write(data)
    return len(data), hashlib.sha256(data).hexdigest()


class Model:
    """Reference encoder for packed files of both versions."""

    def __init__(self, path):
        with open(path, 'rb') as f:
            data = f.read()
        assert data[:8] == MAGIC
        at = 12 + struct.unpack('<I', data[8:12])[0]
        self.header = header = json.loads(data[12:at])
        self.vocab = data[at:at + header['vocab_bytes']].decode('utf8').split('\n')
        at += header['vocab_bytes']
        at += (-at) % 16
        rows, dim = header['words'] + header['buckets'], header['dim']
        if header['version'] == 2:
            scales = np.frombuffer(data, '<f2', rows * dim // 32, at).astype(np.float32).reshape(rows, -1, 1)
            packed = np.frombuffer(data, np.uint8, rows * dim // 2, at + rows * dim // 16).reshape(rows, dim // 2)
            values = np.stack([packed & 15, packed >> 4], 2).astype(np.float32).reshape(rows, -1, 32) - 8
            self.rows = (values * scales).reshape(rows, dim)
        else:
            scales = np.frombuffer(data, '<f4', rows, at)
            values = np.frombuffer(data, np.int8, rows * dim, at + 4 * rows).reshape(rows, dim)
            self.rows = values.astype(np.float32) * scales[:, None]
        self.vocab_id = {entry: i for i, entry in enumerate(self.vocab)}
        self.phrases = {entry for entry in self.vocab if ' ' in entry}

    def one(self, text):
        """The vector of a text before it is normalised."""
        header = self.header
        x = np.zeros(header['dim'], np.float32)
        for token in tokeniser.join_phrases(tokeniser.words(text), self.phrases, header['max_phrase_words']):
            i = self.vocab_id.get(token)
            if i is not None:
                x += self.rows[i]
            else:
                ids = tokeniser.grams(token, header['buckets'])
                guess = np.zeros_like(x)
                for k in ids:
                    guess += self.rows[header['words'] + k]
                x += guess / np.float32(len(ids) ** 0.5)
        return x

    def __call__(self, texts, dim=None):
        x = np.stack([self.one(text) for text in texts])
        return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9)


if __name__ == '__main__':
    print(pack(sys.argv[1], sys.argv[2], int(sys.argv[3]), *(int(x) for x in sys.argv[4:6])))

"""WordNet 3.0 (Debian: wordnet-base): its files, lemmas of words, and what a word's meanings are."""
import collections
import re

import tokeniser

WORDNET = '/usr/share/wordnet'


def load_wordnet():
    """(synsets by id, lemma to [(synset id, rank)]) from the WordNet 3.0 files."""
    synsets = {}
    for pos in ('noun', 'verb', 'adj', 'adv'):
        for line in open(f'{WORDNET}/data.{pos}'):
            if line.startswith(' '):
                continue
            d, gloss = line.split(' | ', 1) if ' | ' in line else (line, '')
            fields = d.split()
            offset = fields[0]
            part = fields[2]
            n = int(fields[3], 16)
            i = 4
            lemmas = []
            for _ in range(n):
                lemmas.append(re.sub('\\(.*\\)', '', fields[i]).replace('_', ' '))
                i += 2
            pointer_count = int(fields[i])
            i += 1
            pointers = []
            for _ in range(pointer_count):
                pointers.append((fields[i], fields[i + 2] + ':' + fields[i + 1], fields[i + 3]))
                i += 4
            part_of_speech = 'a' if part == 's' else part
            synsets[part_of_speech + ':' + offset] = dict(lem=lemmas, gloss=gloss.strip(), ptr=[(a, ('a' if b[0] == 's' else b[0]) + b[1:], c) for a, b, c in pointers])
    index = collections.defaultdict(list)
    for pos in ('noun', 'verb', 'adj', 'adv'):
        for line in open(f'{WORDNET}/index.{pos}'):
            if line.startswith(' '):
                continue
            fields = line.split()
            n = int(fields[2])
            offs = fields[-n:]
            for rank, o in enumerate(offs):
                index[fields[0].replace('_', ' ')].append((fields[1] + ':' + o, rank))
    return (synsets, index)


SUFFIX_RULES = {'n': [('ches', 'ch'), ('shes', 'sh'), ('sses', 'ss'), ('xes', 'x'), ('zes', 'z'), ('ies', 'y'), ('men', 'man'), ('s', '')], 'v': [('ies', 'y'), ('es', 'e'), ('es', ''), ('ed', 'e'), ('ed', ''), ('ing', 'e'), ('ing', ''), ('s', '')], 'a': [('er', ''), ('est', ''), ('er', 'e'), ('est', 'e')], 'r': []}
SENSE_NUMBER = {'n': '1', 'v': '2', 'a': '3', 'r': '4'}


class WordNet:
    """Synsets, and what a word has of them."""

    def __init__(self):
        self.synsets, self.index = load_wordnet()
        self.exceptions = {}
        for pos in ('noun', 'verb', 'adj', 'adv'):
            for line in open(f'{WORDNET}/{pos}.exc'):
                f = line.split()
                self.exceptions.setdefault((pos[0] if pos != 'adv' else 'r', f[0]), f[1])
        self.senses = collections.defaultdict(dict)
        for l, ss in self.index.items():
            for s, r in ss:
                self.senses[s[0], ' '.join(tokeniser.words(l))][s] = r
        self.sense_counts = collections.Counter()
        for line in open(f'{WORDNET}/cntlist.rev'):
            f = line.split()
            k = f[0].split('%')
            self.sense_counts[k[0].replace('_', ' '), k[1][0]] += int(f[2])
        self.hyper = {s: [t for a, t, c in v['ptr'] if a in ('@', '@i') and t in self.synsets] for s, v in self.synsets.items()}
        self.related = {s: [t for a, t, c in v['ptr'] if a in ('+', '&', '\\') and t in self.synsets] for s, v in self.synsets.items()}

    def lemmas(self, w):
        """WordNet lemmas of a word, like morphy."""
        out = []
        for pos in 'nvar':
            if (pos, w) in self.senses:
                out.append((pos, w))
            e = self.exceptions.get((pos, w))
            if e and (pos, e) in self.senses and ((pos, e) not in out):
                out.append((pos, e))
                continue
            for a, b in SUFFIX_RULES[pos]:
                if w.endswith(a) and len(w) - len(a) + len(b) >= 2:
                    l = w[:len(w) - len(a)] + b
                    if l != w and (pos, l) in self.senses:
                        out.append((pos, l))
                        break
        return out

    def features(self, w):
        """Lemmas, synsets, hypernyms up to depth 4 and related synsets of a word, weighted by sense frequency: a Counter of
        ('lemma', word) and ('synset', id)."""
        f = collections.Counter()
        ls = self.lemmas(w)
        if not ls:
            return f
        pw = {}
        for pos, l in ls:
            pw[pos, l] = self.sense_counts[l, SENSE_NUMBER[pos]] + (3 if pos == 'n' else 1)
        tot = sum(pw.values())
        for (pos, l), p in pw.items():
            f['lemma', l] = 1.0
            for s, r in self.senses[pos, l].items():
                if r > 2:
                    continue
                q = p / tot * (0.6, 0.25, 0.15)[r]
                f['synset', s] += q
                cur = [s]
                dec = 0.6
                for depth in range(4):
                    nx = [h for c in cur for h in self.hyper[c][:2]]
                    for h in nx:
                        f['synset', h] += q * dec / max(1, len(nx))
                    cur = nx
                    dec *= 0.6
                    if not cur:
                        break
                for t in self.related[s][:3]:
                    f['synset', t] += q * 0.4
        return f

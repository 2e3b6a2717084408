"""The tokeniser shared by training and the reference encoder. It is simple on purpose: the Go encoder must match it exactly."""
import re
import unicodedata

NGRAM_MIN, NGRAM_MAX = 3, 5
MAX_TOKEN = 40

# Accented Latin letters to base letters, curly apostrophes to '.
FOLD = {}
for code in list(range(0xC0, 0x250)) + list(range(0x1E00, 0x1F00)):
    base = ''.join(c for c in unicodedata.normalize('NFD', chr(code)) if unicodedata.category(c) != 'Mn')
    if base != chr(code):
        FOLD[code] = base.lower()
FOLD.update({
    0xDF: 'ss', 0xE6: 'ae', 0xC6: 'ae', 0xF8: 'o', 0xD8: 'o', 0x153: 'oe', 0x152: 'oe', 0x142: 'l', 0x141: 'l',
    0x2019: "'", 0x2018: "'", 0x02BC: "'",
})

# Runs of letters with inner apostrophes, or runs of digits.
TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+")


def words(text):
    """The tokens of text: folded, lower-cased, a final 's dropped, other apostrophes left out, cut at 40 characters."""
    out = []
    for word in TOKEN.findall(text.translate(FOLD).lower().replace('\u03c2', '\u03c3')):
        if "'" in word:
            if word.endswith("'s"):
                word = word[:-2]
            word = word.replace("'", '')
            if not word:
                continue
        out.append(word[:MAX_TOKEN])
    return out


def fnv(data):
    """FNV-1a, 32 bits."""
    h = 2166136261
    for byte in data:
        h = ((h ^ byte) * 16777619) & 0xFFFFFFFF
    return h


def grams(word, buckets):
    """The buckets of the 3-, 4- and 5-grams of "<word>" that are shorter than it; of the whole where there is none."""
    marked = '<' + word + '>'
    n = len(marked)
    return [
        fnv(marked[i:i + k].encode('utf8')) % buckets
        for k in range(NGRAM_MIN, NGRAM_MAX + 1)
        for i in range(0, n - k + 1)
        if k < n
    ] or [fnv(marked.encode('utf8')) % buckets]


def join_phrases(tokens, phrases, longest=3):
    """Joins tokens to known phrases: the longest match, left to right. phrases is a set of "a b" and "a b c"."""
    out = []
    i = 0
    while i < len(tokens):
        for k in range(min(longest, len(tokens) - i), 1, -1):
            phrase = ' '.join(tokens[i:i + k])
            if phrase in phrases:
                out.append(phrase)
                i += k
                break
        else:
            out.append(tokens[i])
            i += 1
    return out

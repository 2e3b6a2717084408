"""Step 2. Builds pairs/<source>.tsv (anchor, tab, positive) and text/<source>.txt (a paragraph a line) from repositories.

    MIRROR=<folder of owner+name/repo> WORK=<folder> python3 extract.py [source ...]

Reads bare git repositories below MIRROR, and WordNet 3.0 from /usr/share/wordnet (Debian: wordnet-base).
"""
import collections
import csv
import html
import io
import json
import os
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

from wordnet import load_wordnet

WORK = os.environ.get('WORK', os.getcwd())  # everything that is made goes here
HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ('pairs', 'text'):
    os.makedirs(os.path.join(WORK, folder), exist_ok=True)
random.seed(7)
MIRROR = os.environ['MIRROR']
OUT = WORK
csv.field_size_limit(1 << 30)


def git_dir(r):
    """The bare or checked-out repository of owner/name below MIRROR."""
    d = f"{MIRROR}/{r.replace('/', '+')}/repo"
    return d + '/.git' if os.path.isdir(d + '/.git') else d


REVISIONS = json.load(open(WORK + '/osrev.json'))


def files(r, pat):
    """(path, blob) of every file of a repository whose path matches; OpenStax books at their pinned revision."""
    rev = REVISIONS.get(r.split('/')[1], 'HEAD') if r.startswith('openstax/') else 'HEAD'
    o = subprocess.run(['git', '-C', git_dir(r), 'ls-tree', '-r', '-l', '-z', rev], capture_output=True).stdout.decode('utf8', 'replace')
    res = []
    for e in o.split('\x00'):
        if not e:
            continue
        meta, path = e.split('\t', 1)
        m = meta.split()
        if m[1] != 'blob' or m[3] == 'BAD':
            continue
        if re.search(pat, path):
            res.append((path, m[2]))
    return res


def read(r, pat, limit=None):
    """(path, text) of the files that match."""
    fl = files(r, pat)
    if limit:
        fl = fl[:limit]
    p = subprocess.Popen(['git', '-C', git_dir(r), 'cat-file', '--batch'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    import threading

    def w():
        for _, h in fl:
            p.stdin.write((h + '\n').encode())
        p.stdin.close()
    threading.Thread(target=w, daemon=True).start()
    for path, h in fl:
        l = p.stdout.readline().split()
        if len(l) < 3:
            continue
        b = p.stdout.read(int(l[2]))
        p.stdout.read(1)
        yield (path, b.decode('utf8', 'replace'))


WHITESPACE = re.compile('\\s+')


def normalise(s):
    return WHITESPACE.sub(' ', html.unescape(s)).strip()


SENTENCE_END = re.compile('(?<=[.!?])["”’)]*\\s+(?=["“(A-Z0-9])')


def sentences(s):
    return [x for x in SENTENCE_END.split(s) if x]


def count_words(s):
    return len(s.split())


STATISTICS = {}


class Sink:
    """Collects the pairs and the text of one source, without duplicates, and writes them."""

    def __init__(self, name):
        self.name = name
        self.pairs = []
        self.texts = []

    def pair(self, a, b):
        a = normalise(a)
        b = normalise(b)
        if len(a) < 3 or len(b) < 3 or a.lower() == b.lower():
            return
        self.pairs.append((a[:1200], b[:1200]))

    def text(self, x):
        x = normalise(x)
        if count_words(x) >= 3:
            self.texts.append(x)

    def done(self, cap=None):
        pairs = list(dict.fromkeys(self.pairs))
        if cap and len(pairs) > cap:
            random.shuffle(pairs)
            pairs = pairs[:cap]
        with open(f'{OUT}/pairs/{self.name}.tsv', 'w') as f:
            for a, b in pairs:
                f.write(a.replace('\t', ' ') + '\t' + b.replace('\t', ' ') + '\n')
        texts = list(dict.fromkeys(self.texts))
        with open(f'{OUT}/text/{self.name}.txt', 'w') as f:
            for x in texts:
                f.write(x + '\n')
        text_words = sum((count_words(x) for x in texts))
        pair_words = sum((count_words(a) + count_words(b) for a, b in pairs))
        STATISTICS[self.name] = (len(pairs), pair_words, len(texts), text_words)
        print(f'{self.name:24s} pairs {len(pairs):7d} ({pair_words / 1000000.0:.2f}M words) text paras {len(texts):7d} ({text_words / 1000000.0:.2f}M words)', flush=True)


def doc_section(sink, path, paras):
    """Heading path and paragraphs of a section to pairs: heading-paragraph, paragraph-next, sentence-rest."""
    h = ' '.join(path[-3:])
    paras = [p for p in (normalise(p) for p in paras) if count_words(p) >= 5]
    for p in paras:
        sink.text(p)
    for i, p in enumerate(paras):
        if h and i < 5:
            sink.pair(h, p)
        if i + 1 < len(paras) and count_words(p) >= 8 and (count_words(paras[i + 1]) >= 8):
            sink.pair(p, paras[i + 1])
        ss = sentences(p)
        if len(ss) >= 3:
            j = random.randrange(len(ss))
            sink.pair(ss[j], ' '.join(ss[:j] + ss[j + 1:]))
        elif len(ss) == 2:
            sink.pair(ss[0], ss[1])


def openstax(repos):
    sink = Sink('openstax')

    def txt(element):
        return normalise(''.join(element.itertext()))
    for r in repos:
        for path, text in read(r, 'modules/.*index\\.cnxml$'):
            text = re.sub('\\sxmlns(:\\w+)?="[^"]+"', '', text)
            text = re.sub('<(/?)\\w+:', '<\\1', text)
            text = re.sub('\\s\\w+:(\\w+=)', ' \\1', text)
            try:
                root = ET.fromstring(text)
            except ET.ParseError:
                continue
            title = root.findtext('title') or ''

            def walk(element, heading_path):
                paragraphs = []
                for child in element:
                    if child.tag == 'section':
                        t = child.find('title')
                        walk(child, heading_path + [txt(t)] if t is not None else heading_path)
                    elif child.tag == 'para':
                        paragraphs.append(txt(child))
                    elif child.tag == 'note':
                        t = child.find('title')
                        nps = [txt(x) for x in child.iter('para')]
                        if nps:
                            doc_section(sink, heading_path + ([txt(t)] if t is not None else []), nps)
                    elif child.tag == 'list':
                        for it in child.findall('item'):
                            x = txt(it)
                            if count_words(x) >= 6:
                                paragraphs.append(x)
                    elif child.tag == 'exercise':
                        problem = child.find('problem')
                        solution = child.find('solution')
                        if problem is not None and solution is not None and (count_words(txt(solution)) >= 4):
                            sink.pair(txt(problem), txt(solution))
                    elif child.tag == 'figure':
                        cap = child.find('caption')
                        if cap is not None and count_words(txt(cap)) > 5:
                            sink.text(txt(cap))
                            sink.pair(' '.join(heading_path[-2:]), txt(cap))
                doc_section(sink, heading_path, paragraphs)
            child = root.find('content')
            if child is not None:
                walk(child, [title])
            glossary = root.find('glossary')
            if glossary is not None:
                for definition in glossary.findall('definition'):
                    t = definition.find('term')
                    m = definition.find('meaning')
                    if t is not None and m is not None:
                        sink.pair(txt(t), txt(m))
                        sink.text(txt(t) + ' ' + txt(m))
    sink.done()


def clean_markdown(s):
    s = re.sub('<!--.*?-->', '', s, flags=re.S)
    s = re.sub('\\{\\{[^}]*\\}\\}|\\{%[^%]*%\\}', '', s)
    s = re.sub('!\\[[^\\]]*\\]\\([^)]*\\)', '', s)
    s = re.sub('\\[([^\\]]*)\\]\\([^)]*\\)', '\\1', s)
    s = re.sub('\\[([^\\]]*)\\]\\[[^\\]]*\\]', '\\1', s)
    s = re.sub('<[^>]+>', '', s)
    s = re.sub('[*_`]{1,3}', '', s)
    return s


def markdown(name, specs):
    sink = Sink(name)
    for repo, pat in specs:
        before = len(sink.pairs)
        for path, text in read(repo, pat):
            if re.search('(changelog|release|license|CODE_OF|/translations?/)', path, re.I):
                continue
            title = ''
            front = re.match('---\\n(.*?)\\n---\\n', text, re.S)
            if front:
                t = re.search('^title:\\s*["\\\']?(.+?)["\\\']?\\s*$', front.group(1), re.M)
                title = t.group(1) if t else ''
                text = text[front.end():]
            text = re.sub('```.*?```|~~~.*?~~~', '\n\n', text, flags=re.S)
            heading_path = [title] if title else []
            levels = [0] if title else []
            buf = []
            paras = []

            def flush():
                nonlocal buf
                if buf:
                    x = normalise(clean_markdown(' '.join(buf)))
                    if count_words(x) >= 5 and sum((ch.isalpha() for ch in x)) > 0.6 * len(x):
                        paras.append(x)
                    buf = []
            for line in text.split('\n'):
                heading = re.match('(#{1,6})\\s+(.+?)\\s*#*$', line)
                if heading:
                    flush()
                    if paras:
                        doc_section(sink, heading_path, paras)
                    paras = []
                    level = len(heading.group(1))
                    while levels and levels[-1] >= level:
                        levels.pop()
                        heading_path.pop()
                    levels.append(level)
                    heading_path.append(normalise(clean_markdown(re.sub('\\{#.*?\\}', '', heading.group(2)))))
                    continue
                if not line.strip() or line.startswith('|') or line.startswith('    '):
                    flush()
                    continue
                item = re.match('\\s*(?:[-*+]|\\d+\\.)\\s+(.*)', line)
                if item:
                    flush()
                    buf = [item.group(1)]
                else:
                    buf.append(line.strip().lstrip('> '))
            flush()
            if paras:
                doc_section(sink, heading_path, paras)
        print('   ', repo, len(sink.pairs) - before)
    sink.done()


def standard_ebooks(repos):
    sink = Sink('ebooks')
    for r in repos:
        for path, text in read(r, 'src/epub/text/.*\\.xhtml$'):
            if re.search('colophon|imprint|uncopyright|titlepage|toc|loi|endnotes|halftitle', path):
                continue
            ps = [normalise(re.sub('<[^>]+>', '', x)) for x in re.findall('<p[ >].*?</p>|<p>.*?</p>', text, re.S)]
            buf = ''
            out = []
            for p in ps:
                buf = (buf + ' ' + p).strip()
                if count_words(buf) >= 25:
                    out.append(buf)
                    buf = ''
            for x in out:
                sink.text(x)
            for a, b in zip(out, out[1:]):
                sink.pair(a, b)
            for x in out:
                ss = sentences(x)
                if len(ss) >= 3:
                    j = random.randrange(len(ss) - 1)
                    sink.pair(ss[j], ss[j + 1])
    sink.done()


def gloss_split(g):
    """A gloss to its definition and its examples."""
    ex = re.findall('"([^"]+)"', g)
    d = re.sub(';?\\s*"[^"]+"[^;]*', '', g).strip(' ;')
    return (d, ex)


def wordnet():
    synsets, index = load_wordnet()
    sink = Sink('wordnet')
    for synset_id, s in synsets.items():
        definition, examples = gloss_split(s['gloss'])
        lemmas = [l for l in s['lem']]
        sink.text(', '.join(lemmas) + ': ' + definition)
        for l in lemmas[:4]:
            sink.pair(l, definition)
        for i in range(min(3, len(lemmas) - 1)):
            sink.pair(lemmas[i], lemmas[i + 1])
        if len(lemmas) > 2:
            sink.pair(lemmas[0], lemmas[-1])
        for e in examples:
            sink.pair(e, definition if random.random() < 0.5 else lemmas[0] + ' ' + definition)
            sink.text(e)
        hypernyms = [t for a, t, c in s['ptr'] if a in ('@', '@i') and t in synsets]
        for h in hypernyms:
            hypernym_gloss, _ = gloss_split(synsets[h]['gloss'])
            sink.pair(random.choice(lemmas), random.choice(synsets[h]['lem']) + ' ' + hypernym_gloss)
            sink.pair(random.choice(lemmas) + ' ' + definition, random.choice(synsets[h]['lem']))
            grandparents = [t for a, t, c in synsets[h]['ptr'] if a in ('@', '@i') and t in synsets]
            for t in grandparents[:1]:
                sink.pair(random.choice(lemmas), random.choice(synsets[t]['lem']) + ', ' + random.choice(synsets[h]['lem']))
        related = [t for a, t, c in s['ptr'] if a in ('#p', '%p', '#m', '%m', '#s', '&', '*', '>', '$', '+', '=', '\\') and t in synsets]
        for t in related[:4]:
            sink.pair(random.choice(lemmas) + ' ' + definition if random.random() < 0.3 else random.choice(lemmas), random.choice(synsets[t]['lem']) + (' ' + gloss_split(synsets[t]['gloss'])[0] if random.random() < 0.5 else ''))
    sink.done()


NAMES = 'Anna Ben Carla David Elena Frank Grace Hugo Irene Jack Karen Leo Maria Nina Oscar Paula Rita Sam Tina Victor Wendy Yusuf Zoe Tom Lucy Mark Emma Nate Olivia Peter'.split()
PERSONAL = [(d['root'], d['headings'], d['statements'], d['questions']) for d in json.load(open(os.path.join(HERE, 'personal.json')))]


def personal():
    """Personal facts made from WordNet hyponyms and the templates in personal.json."""
    synsets, index = load_wordnet()
    sink = Sink('personal')
    hyponyms = collections.defaultdict(list)
    for synset_id, s in synsets.items():
        for a, t, c in s['ptr']:
            if a in ('@', '@i') and synset_id[0] == 'n':
                hyponyms[t].append(synset_id)
    for root, headings, statements, questions in PERSONAL:
        roots = [s for s, rank in index[root] if s[0] == 'n']
        if not roots:
            print('no root', root)
            continue
        seen = set()
        stack = [roots[0]] if root != 'color' else roots[:1]
        if root in ('city',):
            stack = roots[:3]
        while stack:
            x = stack.pop()
            if x in seen:
                continue
            seen.add(x)
            stack += hyponyms[x]
        lemmas = [l for x in seen for l in synsets[x]['lem'] if len(l) > 2]
        good = [l for l in lemmas if index.get(l.lower()) and any((s in seen and rank == 0 for s, rank in index[l.lower()] if s[0] == 'n'))]
        random.shuffle(good)
        for l in good[:1500]:
            for _ in range(3):
                n = random.choice(NAMES)
                statement = random.choice(statements).format(x=l)
                if random.random() < 0.5:
                    statement = n + ': ' + statement
                question = random.choice(questions).format(h=random.choice(headings), n=n)
                sink.pair(question, statement)
    sink.done()


def dialog_pairs(sink, turns, minw=4):
    """Turn-answer pairs, and pairs of two turns with the third."""
    turns = [normalise(t) for t in turns]
    for t in turns:
        sink.text(t)
    for a, b in zip(turns, turns[1:]):
        if count_words(a) >= minw and count_words(b) >= minw:
            sink.pair(a, b)
    for i in range(len(turns) - 2):
        if count_words(turns[i + 2]) >= 6 and random.random() < 0.5:
            sink.pair(turns[i] + ' ' + turns[i + 1], turns[i + 2])


def selfdialogue():
    sink = Sink('selfdialogue')
    for path, text in read('jfainberg/self_dialogue_corpus', 'corpus/.*\\.csv$'):
        for row in csv.DictReader(io.StringIO(text)):
            t = [row.get(f'Answer.sentence{i}') for i in range(1, 11)]
            dialog_pairs(sink, [x for x in t if x])
    sink.done()


def topical_chat():
    sink = Sink('topicalchat')
    for path, text in read('alexa/Topical-Chat', '^conversations/.*\\.json$'):
        for c in json.loads(text).values():
            dialog_pairs(sink, [m['message'] for m in c['content']])
    sink.done()


def schema_guided():
    sink = Sink('sgd')
    for path, text in read('google-research-datasets/dstc8-schema-guided-dialogue', '^(train|dev|test)/dialogues.*\\.json$'):
        for d in json.loads(text):
            t = [x['utterance'] for x in d['turns']]
            for x in t:
                sink.text(x)
            for a, b in zip(t, t[1:]):
                if count_words(a) >= 5 and count_words(b) >= 5:
                    sink.pair(a, b)
    for path, text in read('google-research-datasets/dstc8-schema-guided-dialogue', 'schema\\.json$'):
        for sv in json.loads(text):
            for x in sv.get('slots', []) + sv.get('intents', []):
                sink.pair(sv['service_name'].split('_')[0] + ' ' + x['name'].replace('_', ' '), x['description'])
    sink.done(cap=120000)


def taskmaster():
    sink = Sink('taskmaster')
    for path, text in read('google-research-datasets/Taskmaster', 'TM-[1234].*data.*\\.json$'):
        try:
            ds = json.loads(text)
        except Exception:
            continue
        if not isinstance(ds, list):
            continue
        for d in ds:
            if not isinstance(d, dict) or 'utterances' not in d:
                continue
            t = [u['text'] for u in d['utterances']]
            for x in t:
                sink.text(x)
            for a, b in zip(t, t[1:]):
                if count_words(a) >= 4 and count_words(b) >= 4:
                    sink.pair(a, b)
    sink.done(cap=120000)


def persona():
    sink = Sink('persona')
    conversations = []
    df = collections.Counter()
    for path, text in read('google-research-datasets/Synthetic-Persona-Chat', 'data/.*\\.csv$'):
        for row in csv.reader(io.StringIO(text)):
            if len(row) < 3 or row[0].startswith('user 1'):
                continue
            facts = [f for f in (row[0] + '\n' + row[1]).split('\n') if f.strip()]
            t = [re.sub('^User ?\\d:\\s*', '', x) for x in row[2].split('\n') if x.strip()]
            conversations.append((facts, t))
            for x in t:
                df.update(set(re.findall('[a-z]+', x.lower())))
    import math
    N = sum(df.values())

    def overlap(a, b):
        A = set(re.findall('[a-z]+', a.lower()))
        B = set(re.findall('[a-z]+', b.lower()))
        return sum((math.log(N / (1 + df[w])) for w in A & B if df[w] < N * 0.002))
    for facts, t in conversations:
        dialog_pairs(sink, t)
        for f in facts:
            sc = sorted(((overlap(f, x), x) for x in t), reverse=True)
            if sc and sc[0][0] > 4:
                sink.pair(f, sc[0][1])
            sink.text(f)
        for a in range(0, len(facts) - 1):
            pass
    sink.done()


def intents():
    sink = Sink('intents')
    groups = collections.defaultdict(list)
    for path, text in read('clinc/oos-eval', 'data/data_full\\.json$'):
        d = json.loads(text)
        for sp in ('train', 'val'):
            for u, i in d[sp]:
                groups['clinc ' + i].append(u)
    for path, text in read('PolyAI-LDN/task-specific-datasets', 'banking_data/train\\.csv$'):
        for row in list(csv.reader(io.StringIO(text)))[1:]:
            groups['bank ' + row[1]].append(row[0])
    for path, text in read('xliuhw/NLU-Evaluation-Data', 'KFold_1/merged/RasaNlu_Merged_KFold_1.*\\.json$'):
        try:
            for e in json.loads(text)['rasa_nlu_data']['common_examples']:
                groups['nlu ' + e['intent']].append(e['text'])
        except Exception as ex:
            print(ex)
    for g, us in groups.items():
        us = list(dict.fromkeys(us))
        name = g.split(' ', 1)[1].replace('_', ' ')
        for u in us:
            sink.text(u)
        for u in us:
            v = random.choice(us)
            sink.pair(u, v)
            if random.random() < 0.15:
                sink.pair(name, u)
    sink.done()


def medquad():
    sink = Sink('medquad')
    for path, text in read('abachaa/MedQuAD', '\\.xml$'):
        for m in re.finditer('<Question[^>]*>(.*?)</Question>\\s*<Answer>(.*?)</Answer>', text, re.S):
            q, a = (normalise(m.group(1)), normalise(m.group(2)))
            if count_words(a) < 5:
                continue
            ss = sentences(a)
            sink.text(a[:3000])
            sink.pair(q, ' '.join(ss[:2]))
            if len(ss) > 4:
                j = random.randrange(2, len(ss) - 1)
                sink.pair(q, ' '.join(ss[j:j + 2]))
                sink.pair(ss[j - 1], ss[j])
    sink.done()


def trivia():
    sink = Sink('trivia')
    for path, text in read('uberspot/OpenTriviaQA', '^categories/'):
        cat = path.split('/')[-1].replace('-', ' ')
        for blk in re.split('\\n\\s*\\n', text):
            m = re.match('#Q (.*?)\\n\\^ (.*?)\\n', blk + '\n', re.S)
            if m:
                q, a = (normalise(m.group(1)), normalise(m.group(2)))
                sink.text(q + ' ' + a)
                if a.lower() in ('true', 'false') or len(a) < 3:
                    sink.pair(cat, q)
                else:
                    sink.pair(q, a)
                if random.random() < 0.1:
                    sink.pair(cat, q)
    sink.done()


def squad_questions():
    sink = Sink('squad_qg')
    for sp in ('dev', 'test'):
        src = [s for p, s in read('xinyadu/nqg', f'data/processed/src-{sp}\\.txt')][0].split('\n')
        tgt = [s for p, s in read('xinyadu/nqg', f'data/processed/tgt-{sp}\\.txt')][0].split('\n')
        for a, b in zip(src, tgt):
            f = lambda x: x.replace('-lrb-', '(').replace('-rrb-', ')').replace(" '", "'").replace(' ,', ',').replace(' .', '.')
            sink.pair(f(b), f(a))
            sink.text(f(a))
    sink.done()


def wikisplit():
    sink = Sink('wikisplit')
    for path, text in read('google-research-datasets/wiki-split', '\\.tsv$'):
        for line in text.split('\n'):
            f = line.split('\t')
            if len(f) < 2:
                continue
            c = re.sub("\\s+([,.;:!?'])", '\\1', f[0]).replace("''", '"')
            sp = [normalise(x) for x in f[1].split('<::::>')]
            sink.text(c)
            if len(sp) == 2:
                sink.pair(sp[0], sp[1])
    sink.done()


def tldr():
    sink = Sink('tldr')
    for path, text in read('tldr-pages/tldr', '^pages/.*\\.md$'):
        t = re.search('^# (.*)$', text, re.M)
        d = ' '.join((x for x in re.findall('^> (.*)$', text, re.M) if not x.startswith(('More info', 'See also'))))
        ex = re.findall('^- (.*?):?\\s*$\\s+^`(.*?)`$', text, re.M)
        if not t:
            continue
        d = clean_markdown(d)
        sink.pair(t.group(1), d)
        sink.text(t.group(1) + ' ' + d)
        for e, c in ex:
            sink.pair(clean_markdown(e), t.group(1) + ' ' + d)
            sink.text(clean_markdown(e))
    sink.done()


def scitldr():
    sink = Sink('scitldr')
    for path, text in read('allenai/scitldr', 'SciTLDR-A/(train|dev)\\.jsonl$'):
        for line in text.split('\n'):
            if not line:
                continue
            d = json.loads(line)
            ab = ' '.join(d['source'])
            sink.text(ab)
            for t in d['target'][:2]:
                sink.pair(t, ab)
                sink.text(t)
            if d.get('title'):
                sink.pair(d['title'], ab)
            for a, b in zip(d['source'], d['source'][1:]):
                sink.pair(a, b)
    sink.done()


def factbook():
    sink = Sink('factbook')
    for path, text in read('factbook/factbook.json', '\\.json$'):
        try:
            d = json.loads(text)
        except Exception:
            continue
        try:
            name = d['Government']['Country name']['conventional short form']['text']
        except Exception:
            name = ''
        if not name or name == 'none':
            continue

        def w(o, hp):
            if isinstance(o, dict):
                if 'text' in o and isinstance(o['text'], str):
                    x = normalise(re.sub('<[^>]+>', ' ', o['text']))
                    if count_words(x) >= 6:
                        sink.text(x)
                        for y in sentences(x)[:3]:
                            if count_words(y) > 5:
                                sink.pair(name + ' ' + ' '.join(hp[-2:]), y)
                for kk, v in o.items():
                    if kk != 'text':
                        w(v, hp + [kk])
        w(d, [])
    sink.done()


# Documentation: (repository, pattern of the files).
DOCS = [
    ('reactjs/react.dev', 'src/content/.*\\.md$'),
    ('golang/website', '_content/.*\\.(md)$'),
    ('redis/redis-doc', '\\.md$'),
    ('prometheus/docs', '\\.md$'),
    ('github/opensource.guide', '^_articles/[^/]*\\.md$'),
    ('OWASP/CheatSheetSeries', '^cheatsheets/.*\\.md$'),
    ('rust-lang/book', '^src/.*\\.md$'),
    ('vuejs/docs', '^src/.*\\.md$'),
    ('microsoft/TypeScript-Website', 'packages/documentation/copy/en/.*\\.md$'),
    ('donnemartin/system-design-primer', '^README\\.md$|solutions/.*README\\.md$'),
    ('18F/handbook', '\\.md$'),
    ('18F/18f.gsa.gov', '^content/.*\\.md$'),
    ('GSA/digitalgov.gov', '^content/.*\\.md$'),
    ('open-telemetry/opentelemetry.io', '^content/en/.*\\.md$'),
    ('google/eng-practices', '\\.md$'),
    ('MicrosoftDocs/microsoft-style-guide', '\\.md$'),
]
OPENSTAX = sorted(REVISIONS)
STANDARD_EBOOKS = [d.replace('+', '/', 1) for d in sorted(os.listdir(MIRROR)) if d.startswith('standardebooks+')]
JOBS = dict(openstax=lambda: openstax(['openstax/' + x for x in OPENSTAX]), ebooks=lambda: standard_ebooks(STANDARD_EBOOKS), wordnet=wordnet, personal=personal, selfdialogue=selfdialogue, topical=topical_chat, sgd=schema_guided, taskmaster=taskmaster, persona=persona, intents=intents, medquad=medquad, trivia=trivia, squadqg=squad_questions, wikisplit=wikisplit, tldr=tldr, scitldr=scitldr, factbook=factbook, docs=lambda: markdown('docs', DOCS))
if __name__ == '__main__':
    for j in sys.argv[1:] or JOBS:
        try:
            JOBS[j]()
        except Exception as e:
            import traceback
            traceback.print_exc()
            print('FAILED', j, e)
    if len(sys.argv) == 1:
        json.dump(STATISTICS, open(OUT + '/pairs/stats.json', 'w'))

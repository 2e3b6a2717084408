"""Step 9. Writes <model>.golden.jsonl: texts with tokens and vectors, which the Go encoder must reproduce. Takes
packed files of both versions.
"""
import json
import sys

import evaluate
import export
import tokeniser

TEXTS = [
    'automobile repair',
    'I love drinking tea',
    'Where does Anna live?',
    'Anna: I moved to Lisbon last year.',
    '',
    '   ',
    '...!?',
    "Don't panic — it's Anna's dog's birthday!",
    'I’ve got a café in São Paulo, naïve résumé',
    'Straße, Øresund, Łódź, Æsir',
    'C++ and C# vs. Go 1.26.8',
    'HTTP/2 404 error at 10:35',
    'x² + ½ = Ⅷ',
    '日本語のテキスト',
    'Привет, как дела?',
    'Ελληνικός ΛΌΓΟΣ',
    'emoji 😀 only 🎉',
    'golden retriever',
    'ice cream and New York',
    'a golden retriever puppy named Biscuit',
    'kubectl get pods --all-namespaces',
    'getUserName()',
    'qwertyzxcvb',
    'supercalifragilisticexpialidocious' * 3,
    "don't can't won't I'm you're",
    "rock 'n' roll",
    "'quoted' words",
    "O'Brien's",
    '2023-05-08T13:56:00Z',
    'user@example.com',
    'https://example.com/path?q=1',
    'THE QUICK BROWN FOX',
    'tab\tand\nnewline',
    'snake_case_name',
    'semi-automatic re-entry',
    'naïve Bayes classifier',
    '$1,000,000.50',
    '50% off',
    'the',
    'the of and a',
]
TEXTS += [b for a, b in evaluate.QUALITATIVE][:12] + [a for a, b in evaluate.QUALITATIVE][:4]
for name in sys.argv[1:]:
    model = export.Model(name)
    with open(name.replace('.bin', '.golden.jsonl'), 'w') as f:
        for t in TEXTS:
            f.write(json.dumps(dict(text=t, tokens=tokeniser.words(t), vec=[round(float(x), 6) for x in model([t])[0]]), ensure_ascii=False) + '\n')
    print(name, len(TEXTS))

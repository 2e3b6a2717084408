"""Step 1. For every OpenStax repository below MIRROR finds the last commit whose LICENSE, README and collection files all say
CC BY 4.0, and writes osrev.json. Books without such a commit are left out.
"""
import json
import os
import re
import subprocess

WORK = os.environ.get('WORK', os.getcwd())  # everything that is made goes here
MIRROR = os.environ['MIRROR']
revisions = {}


def git(r, *a):
    p = subprocess.run(['git', '-C', f'{MIRROR}/openstax+{r}/repo', *a], capture_output=True)
    return p.stdout.decode('utf8', 'replace')


def is_cc_by(r, commit):
    licence = git(r, 'show', commit + ':LICENSE')[:300]
    readme = git(r, 'show', commit + ':README.md')
    links = git(r, 'grep', '-h', '-o', '-E', 'creativecommons.org/licenses/[a-z-]+/[0-9.]+', commit, '--', 'collections')
    kinds = set(re.findall('licenses/([a-z-]+)/', links))
    return 'Attribution 4.0' in licence and 'NonCommercial' not in licence and (not re.search('noncommercial|by-nc', readme, re.I)) and (kinds <= {'by'}) and kinds


for folder in sorted(os.listdir(MIRROR)):
    if not folder.startswith('openstax+'):
        continue
    r = folder[9:]
    commits = ['HEAD'] + [x + '~1' for x in git(r, 'log', '--format=%h', 'HEAD', '--', 'LICENSE', 'README.md', 'collections').split()]
    for commit in commits[:60]:
        if is_cc_by(r, commit):
            revision = git(r, 'rev-parse', '--short=12', commit).strip()
            revisions[r] = revision
            print(r, commit, revision, git(r, 'log', '-1', '--format=%ad', '--date=short', revision).strip(), len([x for x in git(r, 'ls-tree', '-r', '--name-only', revision).split('\n') if x.endswith('index.cnxml')]))
            break
    else:
        print(r, 'NONE')
json.dump(revisions, open('osrev.json', 'w'))

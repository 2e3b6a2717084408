#!/bin/sh
# Makes the files in this folder that real programs write: pages, feeds and sitemaps of one small text by pandoc, groff, mandoc,
# LibreOffice, Hugo, Hexo and VitePress, and the page as a browser saved it by Chromium. Run it in an empty folder and copy what
# you want to renew. It needs pandoc, groff, mandoc, soffice, chromium, node with npm, and hugo
# (go install github.com/gohugoio/hugo@v0.152.2). The pages of sites are described in README.md.
set -eu
export SOURCE_DATE_EPOCH=1714550400 TZ=UTC # 2024-05-01

cat > body.md <<'EOT'
Ropes are made of many fibres, and what they are made of decides whether they float. A rope that sinks gets into the propeller, which is how most of the accidents in our harbour begin.

## Which rope floats

| Fibre         | Density | Floats |
|---------------|--------:|--------|
| Polypropylene |    0.91 | yes    |
| Polyamide     |    1.14 | no     |

- Mooring lines may sink, as they are *under load* all the time.
- A heaving line has to float, so that who falls into the water finds it.

See [the tables](https://pier.example/tables?a=1&b=2) of the harbour office for the others.

## How to find out

```go
func floats(density float64) bool { return density < 1.025 } // of sea water
```

> Throw it in and look. A rope that is still there after a minute floats.
EOT
front() { printf -- '---\ntitle: Which rope floats?\nauthor: Ana Lopes\ndate: 2024-05-01T10:00:00+02:00\nlang: en\ntags: [ropes, safety]\ndescription: On fibres and their density.\n---\n\n'; }
{ front; cat body.md; } > post.md

pandoc -s --toc post.md -o pandoc.html
pandoc post.md -o post.docx
soffice --headless --convert-to html --outdir . post.docx >/dev/null 2>&1
mv post.html libreoffice.html
pandoc -s -t ms post.md | groff -Tutf8 -ms >/dev/null # the source is sound
pandoc -s -t ms post.md | groff -Thtml -ms -P-l 2>/dev/null > groff.html
cat > floats.1 <<'EOT'
.Dd May 1, 2024
.Dt FLOATS 1
.Os
.Sh NAME
.Nm floats
.Nd tell whether a rope floats
.Sh SYNOPSIS
.Nm
.Op Fl v
.Ar density
.Sh DESCRIPTION
The
.Nm
utility compares the density of a fibre with that of sea water.
It prints
.Dq yes
if the rope stays at the surface, and
.Dq no
otherwise.
.Bl -tag -width Ds
.It Fl v
Say how long it takes until the rope is at the bottom.
.El
.Sh AUTHORS
.An Ana Lopes
EOT
mandoc -Thtml floats.1 > mandoc.html

mkdir -p hugo/content/posts hugo/layouts/_default && (cd hugo && {
	printf 'baseURL = "https://pier.example/"\nlanguageCode = "en"\ntitle = "Pier notes"\n[params]\n[params.author]\nname = "Ana Lopes"\nemail = "ana@pier.example"\n' > hugo.toml
	{ front; cat ../body.md; } > content/posts/ropes.md
	printf -- '---\ntitle: Anchors\ndate: 2024-04-02T08:00:00Z\n---\n\nAn anchor holds by its chain & its weight.\n' > content/posts/anchors.md
	for f in single list; do echo '{{ .Content }}' > layouts/_default/$f.html; done
	hugo --quiet && cp public/index.xml ../hugo.rss && cp public/sitemap.xml ../hugo-sitemap.xml
})

mkdir -p hexo && (cd hexo && {
	echo '{"name":"notes","private":true,"hexo":{"version":"8"}}' > package.json
	npm i --silent --no-audit --no-fund hexo@8 hexo-renderer-marked hexo-renderer-ejs hexo-renderer-stylus hexo-theme-landscape hexo-generator-index hexo-generator-archive hexo-generator-feed hexo-generator-sitemap >/dev/null 2>&1
	printf 'title: Pier notes\nauthor: Ana Lopes\nlanguage: en\nurl: https://pier.example\ntimezone: UTC\nupdated_option: date\ntheme: landscape\npermalink: :year/:month/:day/:title/\nfeed: {type: atom, path: atom.xml, content: true}\nsitemap: {path: sitemap.xml}\n' > _config.yml
	mkdir -p source/_posts && cp ../hugo/content/posts/*.md source/_posts/
	npx hexo generate --silent && cp public/2024/05/01/ropes/index.html ../hexo.html && cp public/atom.xml ../hexo.atom && cp public/sitemap.xml ../hexo-sitemap.xml
})

mkdir -p vitepress/guide vitepress/.vitepress && (cd vitepress && {
	echo '{"name":"guide","private":true,"type":"module"}' > package.json
	npm i --silent --no-audit --no-fund vitepress@1 >/dev/null 2>&1
	cat > .vitepress/config.mjs <<'EOT'
export default { title: 'Pier guide', lang: 'en-GB', lastUpdated: false, sitemap: { hostname: 'https://pier.example' },
  themeConfig: { nav: [{ text: 'Home', link: '/' }, { text: 'Tides', link: '/guide/ropes' }], search: { provider: 'local' },
    sidebar: [{ text: 'Guide', items: [{ text: 'Ropes', link: '/guide/ropes' }, { text: 'Start', link: '/' }] }], footer: { message: 'Set in type at the pier.' } } }
EOT
	{ front; echo '# Which rope floats?'; echo; cat ../body.md; } > guide/ropes.md
	echo '# Start' > index.md
	npx vitepress build >/dev/null 2>&1
	cp .vitepress/dist/guide/ropes.html ../vitepress.html && cp .vitepress/dist/sitemap.xml ../vitepress-sitemap.xml
	node node_modules/vitepress/bin/vitepress.js preview --port 4719 >/dev/null 2>&1 & server=$!
	sleep 3
	chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=4000 --dump-dom http://localhost:4719/guide/ropes.html > ../chromium.html 2>/dev/null
	kill $server
})

# The page of pandoc as Chromium saves it as a single file.
mkdir -p snap && (cd snap && npm init -y >/dev/null 2>&1 && npm i --silent --no-audit --no-fund ws >/dev/null 2>&1)
cat > snap.cjs <<'EOT'
const WebSocket = require('ws'), http = require('http'), fs = require('fs')
http.get('http://127.0.0.1:9333/json', r => { let s = ''; r.on('data', d => s += d); r.on('end', () => {
  const w = new WebSocket(JSON.parse(s).find(t => t.type === 'page').webSocketDebuggerUrl)
  w.on('open', () => w.send(JSON.stringify({ id: 1, method: 'Page.captureSnapshot', params: { format: 'mhtml' } })))
  w.on('message', m => { const a = JSON.parse(m); if (a.id === 1) { fs.writeFileSync(process.argv[2], a.result.data); process.exit() } })
}) })
EOT
python3 -m http.server 4719 >/dev/null 2>&1 & server=$!
sleep 1
chromium --headless --no-sandbox --disable-gpu --remote-debugging-port=9333 http://localhost:4719/pandoc.html >/dev/null 2>&1 & browser=$!
sleep 5
NODE_PATH=$PWD/snap/node_modules node snap.cjs chromium.mhtml
kill $server $browser

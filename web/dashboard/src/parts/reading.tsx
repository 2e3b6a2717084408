// The reading view: Markdown and code, made to markup by libraries, and cleaned by DOMPurify before it touches the page.
import createDOMPurify from 'dompurify'
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { Marked } from 'marked'
import { useEffect, useRef } from 'preact/hooks'

for (const [name, lang] of Object.entries({
  bash,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
}))
  hljs.registerLanguage(name, lang)

const clean = createDOMPurify(window)
// Markup within Markdown is shown as the text that it is.
const escape = (s: string) => s.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
const marked = new Marked({ gfm: true, async: false, renderer: { html: ({ text }) => escape(text) } })
const rules = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'video', 'audio', 'source', 'dialog'],
  FORBID_ATTR: ['style', 'id', 'name', 'class', 'srcset'],
  ALLOW_DATA_ATTR: false,
  RETURN_DOM_FRAGMENT: true as const,
}
clean.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName === 'A' && node.getAttribute('href')) {
    node.setAttribute('target', '_blank')
    node.setAttribute('rel', 'noopener noreferrer nofollow')
  }
  // A picture from elsewhere would tell that elsewhere who reads: it becomes a link.
  if (node.tagName === 'IMG' && !/^data:image\/(png|jpe?g|gif|webp);/.test(node.getAttribute('src') ?? '')) {
    const a = document.createElement('a')
    const src = node.getAttribute('src') ?? ''
    if (/^https?:/.test(src)) {
      a.href = src
      a.target = '_blank'
      a.rel = 'noopener noreferrer nofollow'
    }
    a.textContent = node.getAttribute('alt') || src
    node.replaceWith(a)
  }
})

const isCode = (type: string) => /^(code|json|yaml|xml|toml|css|javascript)/.test(type)

export default function Reading({ text, type, mark }: { text: string; type: string; mark?: string }) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const box = ref.current!
    box.replaceChildren()
    if (isCode(type)) {
      const pre = document.createElement('pre'),
        code = document.createElement('code')
      code.textContent = text
      pre.append(code)
      box.append(pre)
    } else box.append(clean.sanitize(marked.parse(text) as string, rules))
    for (const pre of box.querySelectorAll('pre')) pre.tabIndex = 0
    for (const code of box.querySelectorAll('pre code')) {
      if ((code.textContent?.length ?? 0) > 60_000) continue
      const html = hljs.highlightAuto(code.textContent ?? '').value
      code.replaceChildren(
        clean.sanitize(html, { ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'], RETURN_DOM_FRAGMENT: true }),
      )
    }
    if (mark) light(box, mark)
  }, [text, type, mark])
  return <div ref={ref} class="prose" dir="auto" data-testid="reading" />
}

/** light marks the first place where the words of a text stand, across elements, and shows it. */
function light(box: HTMLElement, words: string) {
  const want = words
    .replace(/[#*_`>|\-[\]]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 120)
  if (!want) return
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT)
  for (let n = walker.nextNode(); n; n = walker.nextNode()) {
    const at = n.textContent!.indexOf(want.slice(0, Math.min(24, want.length)))
    if (at < 0) continue
    const range = document.createRange()
    range.setStart(n, at)
    range.setEnd(n, Math.min(n.textContent!.length, at + want.length))
    const m = document.createElement('mark')
    range.surroundContents(m)
    m.scrollIntoView({ block: 'center' })
    return
  }
}

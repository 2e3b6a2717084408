import { useEffect, useState } from 'preact/hooks'
import { get, json, type Memory } from '../lib/api'
import { useData } from '../lib/data'
import { hear } from '../lib/live'
import { me } from '../lib/me'
import { href } from '../lib/router'
import { t } from '../lib/strings'
import { Ago, Button, Command, fail, Head, Icon, KindBadge, Tabs } from '../parts/ui'

const clients = (url: string, key: string): { id: string; label: string; where: string; text: string }[] => {
  const server = { type: 'http', url: url + '/mcp', headers: { Authorization: 'Bearer ' + key } }
  const object = (name = 'mcpServers', s: object = server) => JSON.stringify({ [name]: { lukasa: s } }, null, 2)
  return [
    {
      id: 'claude-code',
      label: 'Claude Code',
      where: t('in_terminal'),
      text: `claude mcp add --transport http lukasa ${url}/mcp --header "Authorization: Bearer ${key}"`,
    },
    {
      id: 'claude-desktop',
      label: 'Claude Desktop',
      where: 'claude_desktop_config.json',
      text: JSON.stringify(
        { mcpServers: { lukasa: { command: 'lukasa', args: ['mcp', '--server', url], env: { LUKASA_API_KEY: key } } } },
        null,
        2,
      ),
    },
    {
      id: 'cursor',
      label: 'Cursor',
      where: '~/.cursor/mcp.json',
      text: object('mcpServers', { url: server.url, headers: server.headers }),
    },
    { id: 'vscode', label: 'VS Code', where: '.vscode/mcp.json', text: object('servers') },
    {
      id: 'codex',
      label: 'Codex CLI',
      where: '~/.codex/config.toml',
      text: `[mcp_servers.lukasa]\nurl = "${url}/mcp"\nhttp_headers = { Authorization = "Bearer ${key}" }`,
    },
    {
      id: 'gemini',
      label: 'Gemini CLI',
      where: '~/.gemini/settings.json',
      text: object('mcpServers', { httpUrl: server.url, headers: server.headers }),
    },
    {
      id: 'curl',
      label: 'curl',
      where: t('in_terminal'),
      text: `curl ${url}/v1/messages \\\n  -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' \\\n  -d '{"conversation":"hello","messages":[{"role":"user","speaker":"Ana","content":"I moved to Lyon, and I prefer green tea."}]}'`,
    },
    {
      id: 'cli',
      label: 'lukasa',
      where: t('in_terminal'),
      text: `export LUKASA_SERVER=${url} LUKASA_API_KEY=${key}\nlukasa say hello "I moved to Lyon, and I prefer green tea."\nlukasa search "where do I live"`,
    },
    {
      id: 'js',
      label: 'JavaScript',
      where: 'remember.mjs',
      text: `const res = await fetch('${url}/v1/search', {\n  method: 'POST',\n  headers: { Authorization: 'Bearer ${key}', 'Content-Type': 'application/json' },\n  body: JSON.stringify({ query: 'where does Ana live', limit: 5 }),\n})\nfor (const hit of (await res.json()).results) console.log(hit.score, hit.content)`,
    },
    {
      id: 'go',
      label: 'Go',
      where: 'main.go',
      text: `c, err := client.New("${url}", client.Options{Key: "${key}"})\nfound, err := c.Search(ctx, lukasa.Query{Text: "where does Ana live"})`,
    },
  ]
}

export default function Setup() {
  const [key, setKey] = useState('')
  const [name, setName] = useState('')
  const [at, setAt] = useState('claude-code')
  const [busy, setBusy] = useState(false)
  const make = async (e: Event) => {
    e.preventDefault()
    setBusy(true)
    try {
      setKey((await json<{ key: string }>('POST', '/v1/keys', { body: { name: name.trim() || 'agent' } })).key)
    } catch (err) {
      fail(err)
    }
    setBusy(false)
  }
  const list = clients(location.origin, key || '$LUKASA_API_KEY'),
    one = list.find((c) => c.id === at)!
  return (
    <div class="mx-auto max-w-4xl">
      <Head title={t('nav_setup')} about={t('setup_about')} />
      <ol class="space-y-6">
        <Step n={1} title={t('setup_key')}>
          {key ? (
            <>
              <p class="flex items-center gap-2 text-warn">
                <Icon name="warn" />
                {t('key_once')}
              </p>
              <div class="mt-3" data-testid="made-key">
                <Command text={key} />
              </div>
            </>
          ) : (
            <form class="flex flex-wrap items-end gap-2" onSubmit={make}>
              <label class="block">
                <span class="label">{t('key_name')}</span>
                <input
                  class="field mt-1 !w-56"
                  placeholder="claude-code"
                  value={name}
                  onInput={(e) => setName(e.currentTarget.value)}
                />
              </label>
              <Button main icon="key" type="submit" disabled={busy || me.value?.read_only}>
                {t('make_key')}
              </Button>
              <p class="w-full text-muted">
                {t('setup_key_about')}{' '}
                <a class="link" href={href('/settings')}>
                  {t('nav_settings')}
                </a>
              </p>
            </form>
          )}
        </Step>
        <Step n={2} title={t('setup_connect')}>
          <Tabs label={t('setup_connect')} at={at} pick={setAt} tabs={list.map(({ id, label }) => ({ id, label }))} />
          <p class="label mb-1.5">{one.where}</p>
          <Command text={one.text} />
          {!key && <p class="mt-2 text-muted">{t('setup_placeholder')}</p>}
        </Step>
        <Step n={3} title={t('setup_say')}>
          <p class="text-muted">{t('setup_say_about')}</p>
          <Arrival />
        </Step>
      </ol>
    </div>
  )
}

function Step({ n, title, children }: { n: number; title: string; children: preact.ComponentChildren }) {
  return (
    <li class="card p-5">
      <h2 class="mb-3 flex items-center gap-3 text-lg font-semibold">
        <span class="num grid size-7 place-items-center rounded-full bg-tint text-accent">{n}</span>
        {title}
      </h2>
      {children}
    </li>
  )
}

/** Arrival waits for the first memory from now on. */
function Arrival() {
  const [since] = useState(() => new Date().toISOString())
  const of = useData((s) => get('/v1/memories', { created_from: since, limit: 3 }, s), [since], ['memory'])
  const [said, setSaid] = useState(0)
  useEffect(() => hear((n) => n.type === 'message.logged' && setSaid((x) => x + 1)), [])
  const list = (of.data?.items ?? []) as Memory[]
  if (!list.length)
    return (
      <p role="status" class="mt-4 flex items-center gap-3 rounded-md bg-sunken px-4 py-3">
        <span class="size-2 animate-pulse rounded-full bg-accent" />
        {said ? t('heard_messages', said) : t('waiting_first')}
      </p>
    )
  return (
    <div role="status" class="mt-4 rounded-md bg-tint px-4 py-3" data-testid="arrived">
      <p class="flex items-center gap-2 font-medium text-ok">
        <Icon name="check" />
        {t('first_arrived')}
      </p>
      <ul class="mt-2 space-y-1.5">
        {list.map((m) => (
          <li key={m.id} class="flex flex-wrap items-baseline gap-x-3">
            <KindBadge kind={m.kind} />
            <a class="serif hover:underline wrap-any" dir="auto" href={href('/memories/' + m.id)}>
              {m.content}
            </a>
            <Ago at={m.recorded_at} class="text-xs text-muted" />
          </li>
        ))}
      </ul>
    </div>
  )
}

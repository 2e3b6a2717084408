// The frame around every page: signing in, the rail, the bar, what lies over a page, and which page it is.
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { away, epoch, Fault, get, json, probe, signedOut, signIn, signOut } from './lib/api'
import { useKeys } from './lib/keys'
import { live, startLive } from './lib/live'
import { href, match, path, query, set } from './lib/router'
import { language, speak, t, type Word } from './lib/strings'
import { Palette } from './parts/palette'
import { PeekPanel } from './parts/peek'
import { Button, Dialog, Icon, Toasts, Trouble, Waiting, type IconName } from './parts/ui'
import { me } from './lib/me'
import { DropZone } from './parts/drop'

type Page = ComponentType<Record<string, string>>
type Load = () => Promise<{ default: unknown }>
const routes: [string, Load, string?][] = [
  ['/', () => import('./pages/home')],
  ['/search', () => import('./pages/search')],
  ['/ask', () => import('./pages/ask')],
  ['/memories', () => import('./pages/memories')],
  ['/memories/:id', () => import('./pages/memory'), '/memories'],
  ['/documents', () => import('./pages/documents')],
  ['/documents/:id', () => import('./pages/document'), '/documents'],
  ['/conversations', () => import('./pages/conversations')],
  ['/conversations/:id', () => import('./pages/conversation'), '/conversations'],
  ['/recall-files/:id', () => import('./pages/recallfile'), '/conversations'],
  ['/graph', () => import('./pages/graph')],
  ['/people', () => import('./pages/people')],
  ['/people/:id', () => import('./pages/person'), '/people'],
  ['/timeline', () => import('./pages/timeline')],
  ['/containers', () => import('./pages/containers')],
  ['/review', () => import('./pages/review')],
  ['/upload', () => import('./pages/upload')],
  ['/transfer', () => import('./pages/transfer')],
  ['/trash', () => import('./pages/trash')],
  ['/activity', () => import('./pages/activity')],
  ['/jobs', () => import('./pages/jobs')],
  ['/playground', () => import('./pages/playground')],
  ['/setup', () => import('./pages/setup')],
  ['/settings', () => import('./pages/settings')],
]

export const nav: { head?: Word; items: [string, IconName, Word][] }[] = [
  {
    items: [
      ['/', 'home', 'nav_home'],
      ['/search', 'search', 'nav_search'],
      ['/ask', 'ask', 'nav_ask'],
    ],
  },
  {
    head: 'nav_kept',
    items: [
      ['/memories', 'memory', 'nav_memories'],
      ['/documents', 'document', 'nav_documents'],
      ['/conversations', 'talk', 'nav_conversations'],
      ['/containers', 'container', 'nav_containers'],
      ['/people', 'people', 'nav_people'],
      ['/graph', 'graph', 'nav_graph'],
      ['/timeline', 'timeline', 'nav_timeline'],
    ],
  },
  {
    head: 'nav_tend',
    items: [
      ['/review', 'review', 'nav_review'],
      ['/upload', 'upload', 'nav_upload'],
      ['/transfer', 'transfer', 'nav_transfer'],
      ['/trash', 'trash', 'nav_trash'],
    ],
  },
  {
    head: 'nav_watch',
    items: [
      ['/playground', 'playground', 'nav_playground'],
      ['/activity', 'activity', 'nav_activity'],
      ['/jobs', 'jobs', 'nav_jobs'],
      ['/setup', 'setup', 'nav_setup'],
      ['/settings', 'settings', 'nav_settings'],
    ],
  },
]

const paletteOpen = signal(false)
const helpOpen = signal(false)
const railOpen = signal(false)
const ready = signal(false)

export function App() {
  useEffect(() => {
    void begin()
    addEventListener('hashchange', begin) // a link to sign in that is pasted into an open page
    return () => removeEventListener('hashchange', begin)
  }, [])
  if (signedOut.value !== null)
    return (
      <>
        <SignIn why={signedOut.value} />
        <Toasts />
      </>
    )
  if (!ready.value) return <AwayBanner />
  return <Frame />
}

/** begin signs in by the link in the address, if there is one, and finds out who is there. */
async function begin() {
  const link = /[#&]link=([\w-]+)/.exec(location.hash)?.[1]
  if (link) {
    history.replaceState(null, '', location.pathname + location.search) // it must not stay in the history
    try {
      await signIn({ link })
    } catch (err) {
      if (!(await whoIsThere())) signedOut.value = err instanceof Fault ? `${err.message}. ${err.hint}` : ''
      return
    }
  }
  await whoIsThere()
}
async function whoIsThere() {
  try {
    const { signed_in } = await json<{ signed_in: boolean }>('GET', '/dashboard/session')
    if (!signed_in) {
      signedOut.value ??= ''
      return false
    }
    me.value = await get('/v1/whoami')
    if (!ready.value) startLive()
    return (ready.value = true)
  } catch (err) {
    if (err instanceof Fault && err.code === 'AWAY') setTimeout(whoIsThere, 1500)
    else if (signedOut.value === null) signedOut.value = err instanceof Fault ? err.message : ''
    return false
  }
}

function SignIn({ why }: { why: string }) {
  const [key, setKey] = useState('')
  const [error, setError] = useState<Fault>()
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    document.title = `${t('sign_in')} · lukasa`
  }, [])
  const enter = async (e: Event) => {
    e.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await signIn({ key: key.trim() })
      await whoIsThere()
    } catch (err) {
      setError(err as Fault)
    }
    setBusy(false)
  }
  const quiet = !why || why === 'no key was sent'
  return (
    <main class="mx-auto flex min-h-dvh max-w-md flex-col justify-center px-5 py-10">
      <div class="mb-6 flex items-center gap-3">
        <img src={href('/icon.svg')} alt="" width="36" height="36" />
        <span class="text-xl font-semibold tracking-tight">lukasa</span>
      </div>
      <div class="card p-6">
        <h1 class="text-xl font-semibold">{t('sign_in')}</h1>
        {!quiet && !error && (
          <p role="alert" class="mt-3 flex gap-2 text-warn">
            <Icon name="warn" class="mt-0.5" />
            <span class="wrap-any">{why}</span>
          </p>
        )}
        <p class="mt-2 text-muted">{t('sign_in_about')}</p>
        <form class="mt-5 space-y-3" onSubmit={enter}>
          <label class="block">
            <span class="label">{t('key')}</span>
            <input
              class="field mono mt-1"
              type="password"
              autocomplete="current-password"
              placeholder="sk_…"
              value={key}
              aria-invalid={!!error}
              onInput={(e) => setKey(e.currentTarget.value)}
              autofocus
            />
          </label>
          {error && (
            <p role="alert" class="text-danger wrap-any">
              {error.code === 'AWAY' ? t('away') : error.message}
            </p>
          )}
          <Button main type="submit" class="w-full" disabled={busy || !key.trim()}>
            {t('sign_in')}
          </Button>
        </form>
        <p class="mt-5 border-t border-line pt-4 text-muted">
          {t('sign_in_open')} <code class="mono rounded bg-sunken px-1.5 py-0.5 text-text">lukasa open</code>
        </p>
      </div>
    </main>
  )
}

function Frame() {
  useKeys({
    'mod+k': () => (paletteOpen.value = true),
    '/': () => {
      const box = document.getElementById('ask')
      box ? box.focus() : (paletteOpen.value = true)
    },
    '?': () => (helpOpen.value = true),
  })
  const found = routes
    .map(([pattern, load, under]) => ({ pattern, load, under, params: match(pattern, path.value) }))
    .find((r) => r.params)
  const section = found?.under ?? found?.pattern ?? ''
  useEffect(() => {
    railOpen.value = false
    const word = nav.flatMap((g) => g.items).find(([at]) => at === section)?.[2]
    document.title = `${word ? t(word) : t('err_404')} · lukasa`
  }, [path.value, language.value])
  const peek = query.value.get('peek')
  return (
    <div class="flex min-h-dvh">
      <a
        href="#main"
        class="sr-only focus:not-sr-only focus:fixed focus:start-2 focus:top-2 focus:z-50 focus:rounded focus:bg-accent focus:px-3 focus:py-2 focus:text-onaccent"
      >
        {t('skip')}
      </a>
      <Rail at={section} />
      <div class="flex min-w-0 grow flex-col">
        <Bar />
        <AwayBanner />
        <div class="flex min-w-0 grow">
          <main id="main" tabIndex={-1} class="min-w-0 grow px-4 py-6 outline-none sm:px-8 max-md:pb-24">
            <div class="mx-auto max-w-[1180px]">
              {found ? <LazyPage key={found.pattern} load={found.load} params={found.params!} /> : <NoPage />}
            </div>
          </main>
          {peek && <PeekPanel key="peek" id={peek} close={() => set({ peek: null })} />}
        </div>
      </div>
      <DropZone />
      {paletteOpen.value && <Palette close={() => (paletteOpen.value = false)} help={() => (helpOpen.value = true)} />}
      {helpOpen.value && <Help close={() => (helpOpen.value = false)} />}
      <Toasts />
    </div>
  )
}

function LazyPage({ load, params }: { load: Load; params: Record<string, string> }) {
  const [page, setPage] = useState<{ show: Page }>()
  const [error, setError] = useState<Fault>()
  useEffect(() => {
    load().then(
      (m) => setPage({ show: m.default as Page }),
      () => {
        void probe()
        setError(new Fault(t('err_page'), 0, 'PAGE', t('err_page_hint')))
      },
    )
  }, [])
  const began = useRef(epoch.value)
  if (error && epoch.value !== began.current) location.reload() // a browser does not load a part again that it failed to load
  if (error && away.value) return null
  if (error) return <Trouble error={error} again={() => location.reload()} />
  return page ? <page.show {...params} /> : <Waiting rows={6} />
}

function NoPage() {
  return (
    <div class="py-16 text-center">
      <h1 class="text-2xl font-semibold">{t('err_404')}</h1>
      <p class="mt-2 text-muted wrap-any">{path.value}</p>
      <a class="btn mt-6" href={href('/')}>
        {t('nav_home')}
      </a>
    </div>
  )
}

function Rail({ at }: { at: string }) {
  const open = railOpen.value
  return (
    <>
      {open && <div class="fixed inset-0 z-30 bg-black/40 md:hidden" onClick={() => (railOpen.value = false)} />}
      <nav
        aria-label={t('nav_label')}
        class={`z-40 flex w-56 shrink-0 flex-col overflow-y-auto border-e border-line bg-sunken px-3 py-4 max-md:fixed max-md:inset-y-0 max-md:start-0 md:sticky md:top-0 md:h-dvh ${open ? '' : 'max-md:hidden'}`}
      >
        <a href={href('/')} class="mb-4 flex items-center gap-2.5 px-2">
          <img src={href('/icon.svg')} alt="" width="26" height="26" />
          <span class="text-lg font-semibold tracking-tight">lukasa</span>
        </a>
        {nav.map((group, i) => (
          <div key={i} class="mb-3">
            {group.head && <p class="px-2 pb-1 text-xs font-medium text-muted">{t(group.head)}</p>}
            <ul>
              {group.items.map(([to, icon, word]) => (
                <li key={to}>
                  <a
                    href={href(to)}
                    aria-current={at === to ? 'page' : undefined}
                    class={`flex min-h-8 items-center gap-2.5 rounded-md px-2 font-medium max-md:min-h-11 ${at === to ? 'bg-surface text-text shadow-[0_0_0_1px_var(--color-line)]' : 'text-muted hover:bg-surface hover:text-text'}`}
                  >
                    <Icon name={icon} class={at === to ? 'text-accent' : ''} />
                    {t(word)}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </>
  )
}

function Bar() {
  const states = {
    connecting: ['bg-control', t('live_connecting')],
    live: ['bg-ok', t('live_on')],
    lost: ['bg-warn', t('live_lost')],
  } as const
  const [tone, words] = states[away.value ? 'lost' : live.value]
  return (
    <header class="sticky top-0 z-20 flex items-center gap-2 border-b border-line bg-bg px-4 py-2 sm:px-8">
      <Button bare icon="menu" class="md:!hidden" aria-label={t('menu')} onClick={() => (railOpen.value = true)} />
      <button
        type="button"
        class="flex min-h-8 min-w-0 grow items-center gap-2 rounded-md border border-line bg-surface px-3 text-muted hover:border-control sm:max-w-md"
        onClick={() => (paletteOpen.value = true)}
      >
        <Icon name="search" />
        <span class="truncate">{t('find_anything')}</span>
        <kbd class="ms-auto max-sm:hidden">{/Mac|iP/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <div class="ms-auto flex items-center gap-1">
        <span class="flex items-center gap-1.5 px-2 text-xs text-muted" role="status">
          <span class={'size-2 rounded-full ' + tone} />
          <span class="max-sm:sr-only">{words}</span>
        </span>
        <Button
          bare
          icon="keyboard"
          class="max-sm:!hidden"
          aria-label={t('keys_title')}
          title={t('keys_title')}
          onClick={() => (helpOpen.value = true)}
        />
        <ThemeButton />
        <Account />
      </div>
    </header>
  )
}

type Theme = 'light' | 'dark' | 'system'
const theme = signal<Theme>((localStorage.getItem('lukasa.theme') as Theme) || 'system')
export function wear(next: Theme) {
  theme.value = next
  if (next === 'system') {
    localStorage.removeItem('lukasa.theme')
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem('lukasa.theme', next)
    document.documentElement.dataset.theme = next
  }
}
function ThemeButton() {
  const next = { light: 'dark', dark: 'system', system: 'light' } as const
  const words = { light: t('theme_light'), dark: t('theme_dark'), system: t('theme_system') }
  const icon = { light: 'sun', dark: 'moon', system: 'system' } as const
  return (
    <Button
      bare
      icon={icon[theme.value]}
      aria-label={t('theme', words[theme.value])}
      title={t('theme', words[theme.value])}
      onClick={() => wear(next[theme.value])}
    />
  )
}

function Account() {
  const who = me.value
  return (
    <details
      class="relative"
      onFocusOut={(e) => {
        if (!e.currentTarget.contains(e.relatedTarget as Node)) e.currentTarget.open = false
      }}
    >
      <summary class="btn btn-bare btn-icon list-none" aria-label={t('account')} title={t('account')}>
        <Icon name="user" />
      </summary>
      <div class="card absolute end-0 top-full z-30 mt-1 w-64 p-3 shadow-lg">
        <p class="font-medium wrap-any">{who?.organisation?.name || who?.user?.name}</p>
        <p class="mt-0.5 text-muted wrap-any">
          {who?.key?.name} <span class="mono">{who?.key?.hint}</span>
        </p>
        <p class="mt-1 text-xs text-muted wrap-any">
          {[
            who?.key?.container && t('bound_to', who.key.container),
            who?.key?.persona && t('persona_of', who.key.persona),
            who?.read_only && t('read_only'),
            who?.key?.role === 'admin' && t('role_admin'),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
        <div class="mt-3 flex items-center gap-2 border-t border-line pt-3">
          <Icon name="languages" class="text-muted" />
          <div class="seg" role="group" aria-label={t('language')}>
            {(['en', 'de'] as const).map((l) => (
              <button key={l} type="button" aria-pressed={language.value === l} onClick={() => speak(l)}>
                {l === 'en' ? 'English' : 'Deutsch'}
              </button>
            ))}
          </div>
        </div>
        <Button icon="leave" class="mt-3 w-full" onClick={() => signOut()}>
          {t('sign_out')}
        </Button>
      </div>
    </details>
  )
}

function AwayBanner() {
  if (!away.value) return null
  return (
    <div role="alert" class="flex items-center gap-2 bg-warn px-4 py-2 font-medium text-bg sm:px-8">
      <Icon name="warn" />
      {t('away')}
    </div>
  )
}

function Help({ close }: { close: () => void }) {
  const rows: [string[], Word][] = [
    [['Ctrl', 'K'], 'key_palette'],
    [['/'], 'key_search'],
    [['?'], 'key_help'],
    [['j'], 'key_next'],
    [['k'], 'key_prev'],
    [['Enter'], 'key_peek'],
    [['o'], 'key_open'],
    [['x'], 'key_select'],
    [['e'], 'key_edit'],
    [['#'], 'key_forget'],
    [['Esc'], 'key_close'],
  ]
  return (
    <Dialog title={t('keys_title')} close={close}>
      <dl class="grid grid-cols-[auto_1fr] items-center gap-x-5 gap-y-2.5">
        {rows.map(([keys, word]) => (
          <div key={word} class="contents">
            <dt class="flex gap-1">
              {keys.map((k) => (
                <kbd key={k}>{k}</kbd>
              ))}
            </dt>
            <dd>{t(word)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

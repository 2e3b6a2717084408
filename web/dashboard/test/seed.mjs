// Fills a server with what a real one holds after some weeks: notes, files, conversations, corrections, people, and one text of each kind that
// tries to break out of a page.
export const days = (n, hour = 9) => {
  const d = new Date(Date.now() - n * 86400e3)
  d.setUTCHours(hour, 12, 0, 0)
  return d.toISOString()
}

export function caller(base, key) {
  return async (method, path, body) => {
    const res = await fetch(base + path, {
      method,
      headers: { Authorization: 'Bearer ' + key, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    })
    const text = await res.text()
    if (!res.ok) throw new Error(`${method} ${path}: ${res.status} ${text}`)
    return text ? JSON.parse(text) : undefined
  }
}

const notes = [
  [
    'home',
    'Boiler service',
    'The boiler was serviced on 3 October. The technician, Marek Dvořák, replaced the pressure valve and said the pump will need attention next year. Invoice 2,140 CZK, paid by card.',
    ['house', 'heating'],
    40,
  ],
  [
    'home',
    'Paint for the hallway',
    'The hallway is painted in "Bone white", code S 0502-Y. Two coats, 4 litres were enough. The rest stands in the cellar on the left shelf.',
    ['house'],
    31,
  ],
  [
    'home.garden',
    'Tomatoes 2026',
    'Sown on 2 March, planted out after 15 May. The variety Black Krim cracked in the rain again; Stupice did not. Next year only Stupice.',
    ['garden'],
    25,
  ],
  [
    'work.acme',
    'Decision: queue in the store',
    '# Decision\n\nWe keep the queue of jobs in the database and do not run a broker.\n\n## Why\n\n- one system less to watch\n- a job and its record change in **one** transaction\n\n## What it costs\n\nUp to 2,000 jobs a second, measured on the small machine. Enough for three years.\n\n```go\nfunc claim(ctx context.Context, db *sql.DB) (Job, error) {\n\t// one row, locked, skipped by others\n\treturn scan(db.QueryRowContext(ctx, claimSQL, time.Now()))\n}\n```\n\n| option | ops a day | cost |\n|---|---|---|\n| broker | 4 | 90 € |\n| table | 1 | 0 € |\n',
    ['decision', 'queue'],
    21,
  ],
  [
    'work.acme',
    'Meeting with Priya about the launch',
    'Priya Nair wants the launch on 14 January. Open: the licence text (Tomás), the status page (me), the load test (Ines). Budget for the first quarter is 38,000 €.',
    ['launch', 'meeting'],
    14,
  ],
  [
    'work.acme.api',
    'Rate limits of the partner API',
    'The partner API allows 600 requests a minute and key, bursts of 50. Over that it answers 429 with Retry-After. Their sandbox allows 60.',
    ['api', 'limits'],
    12,
  ],
  [
    'work.research',
    'Notes on retrieval papers',
    'Late interaction keeps one vector a token and compares by MaxSim; it is precise and needs ten times the room. A cross-encoder over the best 50 gains about 6 points of NDCG on the questions that we care about.',
    ['retrieval', 'papers'],
    9,
  ],
  [
    'travel',
    'Lyon, days in March',
    'The train from Paris takes two hours. The hotel near Place Bellecour is quiet on the courtyard side. Reserve a table at the bouchon on Rue Mercière two weeks before.',
    ['france'],
    6,
  ],
  [
    'travel',
    'מסע לירושלים',
    'הטיסה יוצאת ביום ראשון בשעה שמונה. המלון נמצא ליד השוק. לקנות תה עם נענע.',
    ['israel'],
    5,
  ],
  [
    'health',
    'Pollen test',
    'The allergy test in April was positive for birch and hazel, negative for grass. Dr. Hana Veselá suggests cetirizine from March on.',
    ['allergy'],
    3,
  ],
]

const talks = [
  [
    'assistant-monday',
    'home',
    [
      ['user', 'Ana', 'Good morning! I moved to Lyon last week, the flat on Rue Mercière is finally mine.'],
      ['assistant', 'Assistant', 'Congratulations! Should I update your address in the notes?'],
      ['user', 'Ana', 'Yes please. And my sister Clara is visiting on Friday, she is allergic to nuts.'],
      ['user', 'Ana', 'I prefer green tea in the morning, no coffee any more.'],
      ['assistant', 'Assistant', 'Noted. I will leave out nuts on Friday.'],
      ['user', 'Ana', 'We decided to paint the kitchen in a warm grey.'],
    ],
    11,
  ],
  [
    'planning',
    'work.acme',
    [
      ['user', 'Ana', 'We decided to launch on 14 January, not in December.'],
      ['assistant', 'Assistant', 'Which tasks are still open?'],
      [
        'user',
        'Ana',
        'Tomás writes the licence text. Ines runs the load test next Tuesday. I have to finish the status page.',
      ],
      ['user', 'Ana', 'I work at Acme as a staff engineer since May.'],
      ['user', 'Ana', 'My manager is Priya Nair. She prefers short written updates on Fridays.'],
    ],
    8,
  ],
  [
    'assistant-thursday',
    'home',
    [
      ['user', 'Ana', 'I live in Villeurbanne now, the flat in Lyon fell through.'],
      ['assistant', 'Assistant', 'I am sorry about the flat. I have changed your address.'],
      ['user', 'Ana', 'My favourite restaurant is Le Bouchon des Filles.'],
      ['user', 'Ana', 'I am learning Portuguese, twice a week.'],
    ],
    2,
  ],
]

const memories = [
  [
    'home',
    'Ana keeps the spare key with the neighbours, the Dubois family on the second floor.',
    'fact',
    ['house'],
    38,
  ],
  ['home', 'Ana prefers appointments before ten in the morning.', 'preference', ['calendar'], 30],
  ['work.acme', 'Deploys happen on Tuesdays and Thursdays, never on Fridays.', 'fact', ['deploy'], 28],
  [
    'work.acme',
    'The incident of 9 September was caused by an expired certificate of the partner API.',
    'episode',
    ['incident'],
    27,
  ],
  ['work.acme', 'Reviews get faster when the description says what was tried and dropped.', 'insight', ['reviews'], 18],
  [
    'work.acme',
    'Write the post-mortem of the September incident until the end of the month.',
    'task',
    ['incident'],
    16,
  ],
  ['health', 'Ana is allergic to birch and hazel pollen.', 'fact', ['allergy'], 3],
  ['travel', 'Ana prefers window seats and trains over planes.', 'preference', ['travel'], 20],
]

export const hostile = [
  '<script>window.__pwned = 1</script>',
  '<img src=x onerror="window.__pwned = 2">',
  '[click](javascript:window.__pwned=3)',
  '<svg onload="window.__pwned=4"><circle r=5 /></svg>',
  '"><style>*{display:none}</style>',
  '![x](https://evil.invalid/track.png) <iframe src="javascript:window.__pwned=5"></iframe> <math><mtext><img src onerror=window.__pwned=6></mtext></math>',
]

export async function fill(call) {
  for (const [container, title, content, tags, ago] of notes) {
    await call('POST', '/v1/documents', { container, title, content, tags, occurred_at: days(ago) })
  }
  for (const [container, content, kind, tags, ago] of memories) {
    await call('POST', '/v1/memories', { container, content, kind, tags, occurred_at: days(ago) })
  }
  for (const [conversation, container, turns, ago] of talks) {
    await call('POST', '/v1/messages', {
      container,
      conversation,
      messages: turns.map(([role, speaker, content], i) => ({
        id: `${conversation}-${i}`,
        role,
        speaker,
        content,
        time: new Date(Date.parse(days(ago)) + i * 60e3).toISOString(),
      })),
    })
  }
  const list = await call('GET', '/v1/conversations?container=work.acme')
  await call('POST', `/v1/conversations/${list.items[0].id}/end`)
  const deploys = (await call('GET', '/v1/memories?container=work.acme&tag=deploy')).items[0]
  await call('POST', '/v1/memories', {
    updates: deploys.id,
    content: 'Deploys happen on Mondays, Tuesdays and Thursdays, never on Fridays.',
    kind: 'fact',
    container: 'work.acme',
    tags: ['deploy'],
    reason: 'the team agreed to a third day',
  })
  await call('POST', '/v1/documents', {
    container: 'work.acme.api',
    title: 'Rate limits of the partner API',
    custom_id: 'partner-limits',
    content: 'The partner API allows 300 requests a minute and key.',
  })
  await call('POST', '/v1/documents', {
    container: 'work.acme.api',
    title: 'Rate limits of the partner API',
    custom_id: 'partner-limits',
    content: 'The partner API allows 600 requests a minute and key, and tells when to come back by Retry-After.',
  })
}

export async function attack(call) {
  for (const [i, text] of hostile.entries()) {
    const container = 'attacks'
    await call('POST', '/v1/documents', {
      container,
      title: `T${i} ${text}`,
      content: `# Heading ${i}\n\n${text}\n\nplain words after attack ${i}`,
      content_type: 'markdown',
      tags: [`t${i}${text}`.slice(0, 60)],
      source_url: 'https://example.org/' + i,
    })
    await call('POST', '/v1/memories', {
      container,
      content: `memory ${i}: ${text}`,
      kind: 'fact',
      tags: [`m${i}${text}`.slice(0, 60)],
    })
    await call('POST', '/v1/messages', {
      container,
      conversation: `conv ${i} ${text}`.slice(0, 120),
      messages: [{ role: 'user', speaker: `S${i} ${text}`.slice(0, 100), content: `said ${i}: ${text}` }],
    })
  }
  await call('POST', '/v1/documents', {
    container: 'attacks',
    title: 'page.html',
    content_type: 'html',
    content:
      '<html><body><h1>Saved page</h1><script>window.__pwned=7</script><p onclick="window.__pwned=8">text of the saved page</p><a href="javascript:window.__pwned=9">link</a></body></html>',
  })
}

if (process.argv[1]?.endsWith('seed.mjs')) {
  const [, , base, key, what] = process.argv
  const call = caller(base, key)
  await fill(call)
  if (what === 'attack') await attack(call)
  console.log(JSON.stringify(await call('GET', '/v1/stats'), null, 1))
}

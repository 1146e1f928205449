// Where the secret of a provider's administrator goes: to its own origin, whatever the provider says.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { INTERFACES, readReportPage } from '#bills/interfaces.ts'
import { readReport } from '#bills/read.ts'
import { isRefusal } from '#core/refusal.ts'
import { readReportPages } from '#provider/report-pages.ts'
import { testProvider } from '../support/provider.ts'
import { closeConnections, names, openConnections } from './support.ts'

const SECRET = 'sk-admin-of-this-origin'
const WISH = {
  fromMs: 1_790_812_800_000,
  usageToMs: 1_790_816_400_000,
  costsToMs: 1_790_899_200_000,
  accounts: ['key_a'],
}
const KINDS = ['openai', 'anthropic'] as const
/** Those that tell their pages in one, too. */
const ALL_KINDS = [...KINDS, 'openrouter'] as const
const STATUSES = [301, 302, 303, 307, 308] as const

let home: Server
let elsewhere: Server
let asked: IncomingMessage[] = []
let astray = 0
let answer: (request: IncomingMessage, response: ServerResponse) => void
/** What the clock of the reader says; waiting moves it on. */
let nowMs = 0

beforeAll(async () => {
  home = createServer((request, response) => {
    asked.push(request)
    answer(request, response)
  }).listen(0, '127.0.0.1')
  elsewhere = createServer((_, response) => {
    astray += 1
    response.end('{"data":[],"has_more":false}')
  }).listen(0, '127.0.0.1')
  await Promise.all([home, elsewhere].map((server) => once(server, 'listening')))
})
beforeEach(() => {
  asked = []
  astray = 0
  nowMs = 0
})
afterEach(closeConnections)
afterAll(async () => {
  for (const server of [home, elsewhere]) {
    server.closeAllConnections()
    server.close()
  }
})

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** What is kept of a page, as a value. */
function readerOf(kind: (typeof ALL_KINDS)[number]) {
  return async (text: string, marks: object) => {
    const page = readReportPage(text, { kind, wish: { ...WISH, project: undefined }, marks })
    return page && { ...page, kept: page.kept === '' ? undefined : (JSON.parse(page.kept) as object) }
  }
}

async function read(kind: (typeof ALL_KINDS)[number]) {
  const { requests, headers } = INTERFACES[kind]
  const questions = requests({ ...WISH, project: 'proj_a' })
  const readPage = readerOf(kind)
  const known: unknown[] = []
  const pages = await readReportPages(
    testProvider({ baseUrl: `http://127.0.0.1:${portOf(home)}/v1` }),
    { questions, headers, readPage },
    {
      secrets: {
        get: async (reference) => {
          known.push(reference.origin)
          return SECRET
        },
        known: () => [SECRET],
      },
      connections: openConnections(),
      userAgent: 'farebox/test',
      retryDelayMs: 1,
      clock: { monotonicMs: () => nowMs, nowMs: () => nowMs },
      wait: async (ms) => {
        nowMs += ms
      },
    },
  )
  expect(known).toEqual([`http://127.0.0.1:${portOf(home)}`])
  return { pages, paths: new Set(questions.map(({ path }) => path)) }
}

const REDIRECTS = ALL_KINDS.flatMap((kind) =>
  STATUSES.flatMap((status) =>
    ['http://127.0.0.1:PORT/v1', '//127.0.0.1:PORT/', 'http://localhost:PORT/'].map((location) => ({
      kind,
      status,
      location,
    })),
  ),
)

it.each(REDIRECTS)(
  'a redirect of $kind with $status to $location is not followed',
  async ({ kind, status, location }) => {
    answer = (_, response) => {
      const to = location.replace('PORT', String(portOf(elsewhere)))
      response.writeHead(status, { location: to }).end()
    }
    const { pages } = await read(kind)
    expect(isRefusal(pages) && pages.message).toContain(`It redirects (${status}), which is not followed.`)
    expect(asked).toHaveLength(1)
    expect(astray).toBe(0)
  },
)

const NEXT = [
  'http://127.0.0.1:PORT/v1/organization/costs',
  '//127.0.0.1:PORT/',
  '@127.0.0.1:PORT/',
  ':80@127.0.0.1:PORT/',
  '\\\\127.0.0.1:PORT\\',
  '../../../../127.0.0.1:PORT',
  'x HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\n\r\nGET /',
  '#@127.0.0.1:PORT/',
  '&start_time=0&page=',
  '%2F%2F127.0.0.1:PORT',
]

it.each(KINDS.flatMap((kind) => NEXT.map((next) => ({ kind, next }))))(
  'the next page of $kind is a value, also where it is $next',
  async ({ kind, next }) => {
    const says = next.replace('PORT', String(portOf(elsewhere)))
    answer = (request, response) => {
      const isFirst = !new URL(request.url ?? '', 'http://home').searchParams.has('page')
      response.end(JSON.stringify({ data: [], has_more: isFirst, next_page: isFirst ? says : null }))
    }
    const { pages, paths } = await read(kind)
    expect(pages).toHaveLength(paths.size * 2)
    expect(astray).toBe(0)
    for (const { url = '', headers } of asked) {
      const { pathname, searchParams } = new URL(url, 'http://home')
      expect(paths).toContain(pathname)
      expect(searchParams.get('page') ?? says).toBe(says)
      expect(headers.host).toBe(`127.0.0.1:${portOf(home)}`)
      expect([headers.authorization, headers['x-api-key']]).toContain(kind === 'openai' ? `Bearer ${SECRET}` : SECRET)
    }
  },
)

it.each([
  ['does not say whether it is the last', { data: [] }],
  ['says that there are more and not which', { data: [], has_more: true, next_page: null }],
  ['has no data', { has_more: false }],
  ['is no page', 'ok'],
])('a page that %s is no report', async (_, body) => {
  answer = (__, response) => response.end(JSON.stringify(body))
  expect(await read('openai')).toMatchObject({ pages: { message: expect.stringContaining('damaged') as string } })
})

it('a next page that OpenRouter never speaks of is not asked for', async () => {
  const next = `http://127.0.0.1:${portOf(elsewhere)}/`
  answer = (_, response) => response.end(JSON.stringify({ data: [], has_more: true, next_page: next, next }))
  expect((await read('openrouter')).pages).toMatchObject([
    { data: [], has_more: true, next_page: next, next, report: 'activity', account: 'key_a' },
  ])
  expect(asked.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/api/v1/activity?api_key_hash=key_a', `Bearer ${SECRET}`],
  ])
  expect(astray).toBe(0)
})

it('pages that lead back to an earlier one are no report', async () => {
  answer = (request, response) => {
    const page = new URL(request.url ?? '', 'http://home').searchParams.get('page')
    response.end(JSON.stringify({ data: [], has_more: true, next_page: page === 'a' ? 'b' : 'a' }))
  }
  expect(await read('openai')).toMatchObject({ pages: { message: expect.stringContaining('circle') as string } })
  expect(asked).toHaveLength(3)
})

it('of more parts than a report can have is not taken apart, on one page or on several', async () => {
  const page = (parts: number, next: string | null) =>
    `{"has_more":${next !== null},"next_page":${JSON.stringify(next)},"data":[${'{},'.repeat(parts)}{}]}`
  for (const [parts, pages] of [
    [1_000_001, 1],
    [990_000, 5],
  ] as const) {
    asked = []
    answer = (_, response) => response.end(page(parts, `p${asked.length}`))
    expect(await read('openai')).toMatchObject({ pages: { message: expect.stringContaining('too large') as string } })
    expect(asked).toHaveLength(pages)
  }
})

it('that takes longer than four minutes is given up, however quick each page is to begin', async () => {
  answer = (_, response) => {
    nowMs += 25_000
    response.end(JSON.stringify({ data: [], has_more: true, next_page: `p${asked.length}` }))
  }
  expect(await read('openai')).toMatchObject({
    pages: { message: expect.stringContaining('Take fewer days') as string },
  })
  expect(asked).toHaveLength(10)
})

it('is not waited for beyond the four minutes where its provider is busy', async () => {
  answer = (_, response) => {
    nowMs += 20_000
    response.writeHead(429, { 'retry-after': '30' }).end()
    if (asked.length === 3) nowMs = 239_990
  }
  expect(await read('openai')).toMatchObject({ pages: { message: expect.stringContaining('429') as string } })
  expect([asked.length, nowMs]).toEqual([3, 239_990])
})

it('is not waited for beyond the four minutes where a page never comes', async () => {
  answer = (_, response) => {
    if (asked.length === 1) response.end(JSON.stringify({ data: [], has_more: true, next_page: 'b' }))
    // The second page has a millisecond left.
    nowMs = 239_999
  }
  expect(await read('openai')).toMatchObject({ pages: { message: expect.stringContaining('(time limit)') as string } })
})

it.each([
  ['a bucket', { data: [null] }],
  ['the results of a bucket', { data: [{ results: 'none' }] }],
  ['a result', { data: [{ results: [null, 7] }] }],
])('of Anthropic for one workspace is refused by its reader where %s is none', (_, page) => {
  const read = readReport(JSON.stringify([INTERFACES.anthropic.wishedOf(page, { ...WISH, project: 'wrkspc_a' })]))
  expect(read).toMatchObject({ type: 'problem' })
})

it('of Anthropic has the amounts of its own workspace alone', () => {
  const result = (workspace: string | null) => ({ amount: '1', workspace_id: workspace })
  const page = { data: [{ results: [result('wrkspc_a'), result(null), result('wrkspc_b')] }], has_more: false }
  const { wishedOf } = INTERFACES.anthropic
  expect(wishedOf(page, { ...WISH, project: 'wrkspc_a' })).toMatchObject({ data: [{ results: [result('wrkspc_a')] }] })
  expect(wishedOf(page, { ...WISH, project: undefined })).toBe(page)
})

const NAME = 'api.provider.test'
/** Every name leads to this machine, so that whatever is sent is seen, wherever it was meant to go. */
const EVERYWHERE = new Proxy({}, { get: () => [['127.0.0.1']] })

/** Reads with a secret that was given at `http://api.provider.test:PORT`, for a provider that is at another base URL now. */
async function readAt(baseUrl: string) {
  const { requests, headers } = INTERFACES.openai
  const origin = `http://${NAME}:${portOf(home)}`
  return readReportPages(
    testProvider({ baseUrl: baseUrl.replace('PORT', String(portOf(home))).replace('ELSE', String(portOf(elsewhere))) }),
    { questions: requests({ ...WISH, project: undefined }), headers, readPage: readerOf('openai') },
    {
      secrets: { get: async (reference) => (reference.origin === origin ? SECRET : undefined), known: () => [SECRET] },
      connections: openConnections({ resolve: names(EVERYWHERE) }),
      userAgent: 'farebox/test',
      retryDelayMs: 1,
      clock: { monotonicMs: () => nowMs, nowMs: () => nowMs },
      wait: async () => {},
    },
  )
}

const OTHER_ORIGINS = [
  'http://api.provider.test:ELSE/v1',
  'http://api.provider.test/v1',
  'http://api.provider.test:1/v1',
  'https://api.provider.test:PORT/v1',
  'http://api.provider.test.:PORT/v1',
  'http://api.provider.test..:PORT/v1',
  'http://provider.test:PORT/v1',
  'http://www.api.provider.test:PORT/v1',
  'http://api.provider.test.evil.test:PORT/v1',
  'http://api-provider.test:PORT/v1',
  'http://ap1.provider.test:PORT/v1',
  'http://\u0430pi.provider.test:PORT/v1',
  'http://api.prov\u0131der.test:PORT/v1',
  'http://xn--pi-7kc.provider.test:PORT/v1',
  'http://api.provider.test:PORT@evil.test:ELSE/v1',
  'http://api.provider.test@evil.test:PORT/v1',
  'http://evil.test:PORT/api.provider.test/v1',
  'http://evil.test:PORT?api.provider.test/v1',
  'http://evil.test:PORT#@api.provider.test/v1',
  'http://evil.test:PORT\\@api.provider.test/v1',
  'http://127.0.0.1:PORT/v1',
  'http://localhost:PORT/v1',
  'http://[::1]:PORT/v1',
  'http://[::ffff:127.0.0.1]:PORT/v1',
]

it.each(OTHER_ORIGINS)('the secret does not go to another origin: %s', async (baseUrl) => {
  answer = (_, response) => response.end('{"data":[],"has_more":false}')
  expect(await readAt(baseUrl)).toMatchObject({
    message: expect.stringContaining("no administrator's secret") as string,
  })
  expect([asked.length, astray]).toEqual([0, 0])
})

const SAME_ORIGIN = [
  'http://API.Provider.TEST:PORT/v1',
  'HTTP://api.provider.test:PORT/v1',
  'http://api.provider.test:0PORT/v1',
  'http://api\u3002provider\u3002test:PORT/v1',
  'http://api.%70rovider.test:PORT/v1',
  'http://api.provider.test:PORT/@evil.test:ELSE/v1',
  'http://api.provider.test:PORT\\@evil.test:ELSE/v1',
  'http://evil.test:ELSE@api.provider.test:PORT/v1',
  'http://api.provider.test:PORT/v1?@evil.test',
]

it.each(SAME_ORIGIN)('a base URL that is written in another way leads to the same origin: %s', async (baseUrl) => {
  answer = (_, response) => response.end('{"data":[],"has_more":false}')
  expect(await readAt(baseUrl)).toHaveLength(3)
  expect(new Set(asked.map(({ headers }) => headers.host))).toEqual(new Set([`${NAME}:${portOf(home)}`]))
  expect(new Set(asked.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${SECRET}`]))
  expect(astray).toBe(0)
})

it('headers that name another place are not followed, nor are proxies of the environment', async () => {
  const there = `http://127.0.0.1:${portOf(elsewhere)}/`
  const before = { ...process.env }
  for (const name of ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY']) process.env[name] = there
  try {
    answer = (_, response) => {
      response.setHeader('location', there).setHeader('content-location', there).setHeader('refresh', `0; url=${there}`)
      response.setHeader('link', `<${there}>; rel="next"`).setHeader('alt-svc', `h2="127.0.0.1:${portOf(elsewhere)}"`)
      response.end('{"data":[],"has_more":false}')
    }
    expect(await readAt('http://api.provider.test:PORT/v1')).toHaveLength(3)
    expect(astray).toBe(0)
  } finally {
    process.env = before
  }
})

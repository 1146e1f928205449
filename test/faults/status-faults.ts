// Providers that answer with a status: errors with every kind of body, redirects, and odd wishes for when to come back.

import type { Behaviour } from '../support/upstream-behaviour.ts'
import { ELSEWHERE } from './catalogue.ts'
import { ANSWERED, FAILED, scripted, socket, TOO_SLOW, type Fault, type Provider, type Sees } from './fault.ts'
import type { Kit } from './kits.ts'

/** What the client of a provider's error status is told, where the status judges the provider or Farebox. */
const OWN_STATUSES: Readonly<Record<number, number>> = {
  408: 504,
  418: 502,
  429: 429,
  500: 502,
  502: 502,
  503: 503,
  504: 504,
  529: 503,
  599: 502,
}

/** Statuses that judge our secret or account. */
const ACCOUNT_STATUSES = [401, 402, 403, 407]

/** Statuses that judge the request. */
const REQUEST_STATUSES = [400, 404, 409, 413, 415, 422]

const WORDS = 'The provider does not like it.'

function refused(status: number): Sees {
  return { type: 'refused', status }
}

function failed(status: number): Sees {
  return { type: 'error', status }
}

const page = (status: number): Behaviour => ({ type: 'html', status })
const nothing = (status: number): Behaviour => ({ type: 'raw', status, contentType: 'application/json', parts: [''] })

const STATUSES: readonly Fault[] = [
  ...Object.entries(OWN_STATUSES).flatMap(([status, told]): Fault[] => {
    const code = Number(status)
    const kind = `${status} with any body`
    return [
      {
        name: `${status} with an error`,
        kind,
        provider: scripted({ type: 'status', status: code }),
        sees: failed(told),
      },
      { name: `${status} with a page`, kind, provider: scripted(page(code)), sees: failed(told) },
      { name: `${status} with nothing`, kind, provider: scripted(nothing(code)), sees: failed(told) },
    ]
  }),
  ...ACCOUNT_STATUSES.flatMap((status): Fault[] => {
    const kind = `${status} with any body`
    const sees: Sees = { type: 'refuses-us' }
    return [
      { name: `${status} with an error`, kind, provider: scripted({ type: 'status', status }), sees },
      { name: `${status} with a page`, kind, provider: scripted(page(status)), sees },
      { name: `${status} with nothing`, kind, provider: scripted(nothing(status)), sees },
    ]
  }),
  ...REQUEST_STATUSES.flatMap((status): Fault[] => {
    const kind = `${status} with any body`
    return [
      { name: `${status} with an error`, kind, provider: scripted({ type: 'status', status }), sees: refused(status) },
      { name: `${status} with a page`, kind, provider: scripted(page(status)), sees: FAILED },
      { name: `${status} with nothing`, kind, provider: scripted(nothing(status)), sees: FAILED },
    ]
  }),
]

const REDIRECTS: readonly Fault[] = [300, 301, 302, 303, 304, 305, 307, 308].map((status) => ({
  name: `${status} to another place`,
  kind: 'redirects',
  provider: scripted({ type: 'redirect', status, to: `${ELSEWHERE}/v1/chat/completions` }),
  sees: FAILED,
}))

function errorBody(...parts: readonly (string | Buffer)[]): Provider {
  return scripted({ type: 'raw', status: 400, contentType: 'application/json', parts })
}

const ODD_BODIES: readonly Fault[] = [
  { name: '400 with half of its JSON', provider: errorBody('{"error":{"mess'), sees: FAILED },
  { name: '400 with text', provider: errorBody('Bad request'), sees: FAILED },
  { name: '400 with null', provider: errorBody('null'), sees: FAILED },
  {
    name: '400 with more than a megabyte',
    provider: errorBody(`{"error":{"message":"${'x'.repeat(1_100_000)}"}}`),
    sees: FAILED,
  },
  {
    name: '400 that is reset in its middle',
    provider: scripted({
      type: 'raw',
      status: 400,
      parts: ['{"error":{', '"message":"Oh"}}'],
      cut: { at: { byte: 10 }, how: 'reset' },
    }),
    sees: FAILED,
  },
  {
    name: '400 that goes silent',
    provider: scripted({
      type: 'raw',
      status: 400,
      parts: ['{"error":{', '"message":"Oh"}}'],
      stall: { at: { byte: 10 }, ms: Infinity },
    }),
    sees: TOO_SLOW,
    pace: 'slow',
  },
  {
    name: '429 that goes silent',
    provider: scripted({ type: 'status', status: 429, stall: { at: { byte: 10 }, ms: Infinity } }),
    sees: ({ dialect }) => (dialect === 'gemini' ? TOO_SLOW : failed(429)),
    pace: 'slow',
  },
  { name: '201', provider: scripted({ type: 'answer', status: 201, text: 'the-last-words' }), sees: ANSWERED },
  { name: '204', provider: scripted({ type: 'raw', status: 204, contentType: '', parts: [''] }), sees: FAILED },
  {
    name: '205 with nothing',
    provider: scripted({ type: 'raw', status: 205, contentType: 'text/plain', parts: [''] }),
    sees: FAILED,
  },
  { name: '200 with a page', provider: scripted({ type: 'html' }), sees: FAILED },
  {
    name: '200 with a page that says it is JSON',
    provider: scripted({ type: 'html', contentType: 'application/json' }),
    sees: FAILED,
  },
  {
    name: '200 with a page that says it is events',
    provider: scripted({ type: 'html', contentType: 'text/event-stream' }),
    sees: FAILED,
  },
]

const waits = (status: number, retryAfter: string | number): Provider =>
  scripted({ type: 'status', status, retryAfter })

function retryAfter(status: number, told: number): readonly Fault[] {
  const kind = `odd Retry-After with ${status}`
  const row = (name: string, given: string | number, wanted: RegExp): Fault => ({
    name: `${status}, Retry-After ${name}`,
    kind,
    provider: waits(status, given),
    sees: { type: 'error', status: told, retryAfter: wanted },
  })
  return [
    row('in seconds', 17, /^17$/),
    row('of 0', 0, /^1$/),
    row('below 0', -5, /^1$/),
    row('in part of a second', '0.5', /^\d+$/),
    row('of a million years', '31536000000000', /^\d+$/),
    row('in a word', 'soon', /^5$/),
    row('of nothing', '', /^5$/),
    row('as a date that was', 'Mon, 01 Jan 2001 00:00:00 GMT', /^1$/),
    row('as a date that is far', 'Fri, 31 Dec 9999 23:59:59 GMT', /^\d+$/),
    row('as no date', 'Mon, 99 Foo 2030 99:99:99 GMT', /^5$/),
    {
      name: `${status}, Retry-After three times`,
      kind,
      provider: socket(async (exchange) => {
        const lines = ['retry-after: 7', 'retry-after: soon', 'retry-after: 9', 'content-length: 0']
        await exchange.write(`HTTP/1.1 ${status} No\r\n${lines.join('\r\n')}\r\n\r\n`)
      }),
      sees: { type: 'error', status: told, retryAfter: /^7$/ },
    },
  ]
}

/** An error that is told inside an answer that says that it went well. */
function reported({ overloaded, wrongSecret }: Kit): readonly Fault[] {
  return [
    { name: '200 with an error', provider: scripted({ type: 'error-in-200' }), modes: ['whole'], sees: FAILED },
    {
      name: '200 with an error where events were asked for',
      provider: scripted({ type: 'error-in-200' }),
      modes: ['streamed'],
      sees: FAILED,
    },
    {
      name: '200 with an overload',
      provider: scripted({ type: 'error-in-200', error: overloaded }),
      modes: ['whole'],
      sees: failed(503),
    },
    {
      name: '200 with an error about our secret',
      provider: scripted({ type: 'error-in-200', error: wrongSecret }),
      modes: ['whole'],
      sees: { type: 'refuses-us' },
    },
    {
      name: '400 with an error that says nothing',
      provider: scripted({ type: 'status', status: 400, body: { error: { message: WORDS } } }),
      sees: refused(400),
    },
  ]
}

export function statusFaults(kit: Kit): readonly Fault[] {
  return [...STATUSES, ...REDIRECTS, ...ODD_BODIES, ...retryAfter(429, 429), ...retryAfter(503, 503), ...reported(kit)]
}

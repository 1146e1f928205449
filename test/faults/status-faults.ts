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
const IMAGE = 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'
const BATCH = 'input (5002 tokens) is too large to process. increase the physical batch size'
const FULL = 'request (5120 tokens) exceeds the available context size (4096 tokens), try increasing it'

function refused(status: number): Sees {
  return { type: 'refused', status }
}

/** A judgement of the request that is told in our own words. */
function told(status: number): Sees {
  return { type: 'judged', status }
}

/** Codex sees that a context is full only inside a stream. */
const FULL_STREAM: Sees = { type: 'judged', status: 200 }

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

/** What judges the request with a status that blames the provider, each in a form that is sent. */
const MISNUMBERED: readonly Fault[] = [
  ...[500, 501, 502, 503, 405].flatMap((status): Fault[] => [
    {
      name: `${status} for an image that no model here takes`,
      provider: scripted({
        type: 'status',
        status,
        body: { error: { code: status, message: IMAGE, type: 'server_error' } },
      }),
      sees: told(400),
    },
    {
      name: `${status} for a context that is full`,
      provider: scripted({ type: 'status', status, body: { error: { code: status, message: FULL } } }),
      sees: ({ format, mode }) => (format.name === 'responses' && mode === 'streamed' ? FULL_STREAM : told(400)),
    },
  ]),
  {
    name: '500 for an input over the batch, as a text',
    provider: scripted({ type: 'raw', status: 500, contentType: 'text/plain', parts: [BATCH] }),
    sees: told(400),
  },
  {
    name: '500 for an image, as a page',
    provider: scripted({ type: 'raw', status: 500, contentType: 'text/html', parts: [`<html>${IMAGE}</html>`] }),
    sees: FAILED,
  },
  {
    name: '500 for an image, cut in its words',
    provider: scripted({
      type: 'status',
      status: 500,
      body: { error: { message: IMAGE } },
      cut: { at: { byte: 10 }, how: 'reset' },
    }),
    sees: FAILED,
  },
  {
    name: '500 with more than a megabyte',
    provider: scripted({
      type: 'status',
      status: 500,
      body: { error: { message: `${'x'.repeat(1_100_000)} ${IMAGE}` } },
    }),
    sees: FAILED,
  },
  {
    name: '422 with a list of reasons',
    provider: scripted({ type: 'status', status: 422, body: { detail: [{ loc: ['body'], msg: 'Must be 1.' }] } }),
    sees: refused(422),
  },
  {
    name: '400 with a bare text',
    provider: scripted({ type: 'raw', status: 400, contentType: 'text/plain', parts: ['n must be 1'] }),
    sees: refused(400),
  },
  {
    name: '400 that judges our secret',
    provider: scripted({ type: 'status', status: 400, body: { error: { message: 'No connected db.' } } }),
    sees: { type: 'refuses-us' },
  },
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
      contentType: 'application/json',
      parts: ['{"error":{', '"message":"Oh"}}'],
      stall: { at: { byte: 10 }, ms: Infinity },
    }),
    sees: TOO_SLOW,
    pace: 'slow',
  },
  {
    name: '429 that goes silent',
    provider: scripted({ type: 'status', status: 429, stall: { at: { byte: 10 }, ms: Infinity } }),
    sees: ({ dialect }) => (dialect === 'gemini' || dialect === 'bedrock-converse' ? TOO_SLOW : failed(429)),
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
  return [
    ...STATUSES,
    ...MISNUMBERED,
    ...REDIRECTS,
    ...ODD_BODIES,
    ...retryAfter(429, 429),
    ...retryAfter(503, 503),
    ...reported(kit),
  ]
}

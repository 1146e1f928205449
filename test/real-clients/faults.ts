// What goes wrong between a program and its answer: at the gateway's door, and at a provider of each dialect. A fault that
// passes must not be noticed in the answer. One that stays must be reported, after a bounded number of tries.
import { request as httpRequest } from 'node:http'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import type { RecordedRequest } from '../support/upstream.ts'
import { access } from './lab.ts'
import type { Outcome, Program } from './program.ts'
import { CLAUDE, CODEX, CODEX_UNTOLD } from './programs.ts'
import { ROUTES, type Dialect, type Route } from './routes.ts'
import { expect, type Scenario } from './scenario.ts'

type Fault = {
  readonly name: string
  readonly behaviour: (request: RecordedRequest) => Behaviour
  /** How long a program that obeys waits before it asks again. */
  readonly waitsMs?: number
}

const PROMPT = 'What is the sum?'
const MODEL = 'model-for-tests'
const PIECES = ['The sum ', 'is exactly ', 'forty-two ', 'and nothing ', 'more.']
const ANSWER = PIECES.join('')
const WHOLE = { type: 'answer', pieces: PIECES } satisfies Behaviour
const PROGRAMS = [CLAUDE, CODEX] as const
/** Both programs are told to retry twice; each may do so for the request and again for the stream. */
const MAX_REQUESTS = 9
/** What fails before its answer begins Farebox asks of the same target twice more. */
const TRIES_PER_REQUEST = 3
const LIMIT_MS = 90_000
/** Codex waits longer from try to try. */
const PATIENCE_MS = 600_000

/** In each format, an event in the middle of the text. */
const MIDDLE: Readonly<Record<Dialect, number>> = { 'chat-completions': 3, messages: 5, responses: 6, gemini: 2 }

const FAULTS: readonly Fault[] = [
  { name: '429', waitsMs: 2000, behaviour: () => ({ type: 'status', status: 429, retryAfter: 2 }) },
  { name: '500', behaviour: () => ({ type: 'status', status: 500 }) },
  { name: 'a cut', behaviour: (request) => ({ ...WHOLE, cut: { at: middleOf(request), how: 'reset' } }) },
  { name: 'an end without an end', behaviour: unfinished },
  { name: 'an error event', behaviour: failing },
]

export const faultScenarios: readonly Scenario[] = [
  ...PROGRAMS.flatMap((program) => [atTheDoor(program, '401'), atTheDoor(program, '402'), atTheDoor(program, '404')]),
  ...ROUTES.flatMap((route) =>
    PROGRAMS.flatMap((program) =>
      FAULTS.flatMap((fault) => [once(program, route, fault), always(program, route, fault)]),
    ),
  ),
  ...[500, 401].map(aloneAndDead),
  upgrade(),
]

/** The gateway refuses: a key that it does not know, a key without credits, a model that it does not have. */
function atTheDoor(program: Program, status: '401' | '402' | '404'): Scenario {
  return {
    name: `${program.name} / the gateway answers ${status}`,
    async run(lab) {
      const gateway = await lab.gateway()
      await gateway.serve(MODEL, 'chat-completions')
      lab.upstream.forget()
      const key = { 401: `key_${'x'.repeat(40)}`, 402: gateway.poorKey, 404: gateway.key }[status]
      const model = status === '404' ? 'no-such-model' : MODEL
      const outcome = await lab.run(program, { prompt: PROMPT, url: gateway.url, key, model, limitMs: LIMIT_MS })
      expectReported(outcome)
      expect(lab.upstream.requests.length === 0, 'the provider was asked', outcome)
      const said = /model/i.test(outcome.stdout) || outcome.stdout.includes(status)
      expect(said, `it does not say that it was a ${status}`, outcome)
    },
  }
}

function once(program: Program, route: Route, fault: Fault): Scenario {
  return {
    name: `${program.name} / ${route} / ${fault.name}, once`,
    async run(lab) {
      lab.upstream.forget()
      lab.upstream.once(fault.behaviour)
      lab.upstream.script(WHOLE)
      const outcome = await lab.run(program, {
        prompt: PROMPT,
        ...(await access(lab, route, MODEL)),
        limitMs: LIMIT_MS,
      })
      expect(outcome.succeeded, 'it did not succeed', outcome)
      expect(outcome.answer === ANSWER, 'it did not give the answer', outcome)
      const asked = lab.upstream.requests
      expect(asked.length === 2, `the provider was asked ${asked.length} times instead of twice`, outcome)
      const waitedMs = (asked[1]?.receivedAtMs ?? 0) - (asked[0]?.receivedAtMs ?? 0)
      expect(waitedMs >= (fault.waitsMs ?? 0), `it waited only ${waitedMs} ms`, outcome)
    },
  }
}

function always(program: Program, route: Route, fault: Fault): Scenario {
  return {
    name: `${program.name} / ${route} / ${fault.name}, always`,
    async run(lab) {
      lab.upstream.forget()
      lab.upstream.script(fault.behaviour)
      const outcome = await lab.run(program, {
        prompt: PROMPT,
        ...(await access(lab, route, MODEL)),
        limitMs: LIMIT_MS,
      })
      expectReported(outcome)
      const asked = lab.upstream.requests.length
      const most = route === 'alone' ? MAX_REQUESTS : MAX_REQUESTS * TRIES_PER_REQUEST
      expect(asked > 0 && asked <= most, `the provider was asked ${asked} times`, outcome)
      return `the provider was asked ${asked} times`
    },
  }
}

/** One question at a lone provider that fails for good, from a program that gives up late. A provider may be asked twice a second. */
function aloneAndDead(status: number): Scenario {
  return {
    name: `codex-untold / a lone provider that always answers ${status}`,
    async run(lab) {
      lab.upstream.forget()
      lab.upstream.script({ type: 'status', status })
      const task = { prompt: PROMPT, ...(await access(lab, 'chat-completions', MODEL)), limitMs: PATIENCE_MS }
      const outcome = await lab.run(CODEX_UNTOLD, task)
      expectReported(outcome)
      const asked = lab.upstream.requests.length
      const most = status === 401 ? 1 : TRIES_PER_REQUEST + (2 * outcome.tookMs) / 1000
      expect(asked > 0 && asked <= most, `the provider was asked ${asked} times`, outcome)
      return `the provider was asked ${asked} times`
    },
  }
}

/** The program came to an end by itself and does not call what it has an answer. */
function expectReported(outcome: Outcome): void {
  expect(!outcome.timedOut, 'it did not come to an end', outcome)
  expect(!outcome.succeeded && outcome.code !== 0, 'it reported success', outcome)
}

/** Codex asks for a WebSocket first where it may, and only 426 makes it go on with HTTP at once where it gets none. */
function upgrade(): Scenario {
  return {
    name: 'the gateway / an upgrade that is not let in is answered with 426',
    async run(lab) {
      const gateway = await lab.gateway()
      const headers = { connection: 'Upgrade', upgrade: 'websocket', authorization: `Bearer ${gateway.key}` }
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const asked = httpRequest(`${gateway.url}/v1/responses`, { headers }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        asked.once('error', reject).end()
      })
      expect(status === 426, `it was answered with ${status}`)
    },
  }
}

function dialectOf({ path }: RecordedRequest): Dialect {
  if (path.includes('enerateContent')) return 'gemini'
  if (path.includes('/messages')) return 'messages'
  return path.includes('/responses') ? 'responses' : 'chat-completions'
}

function isStreamed({ path, body }: RecordedRequest): boolean {
  return body.stream === true || path.includes(':stream')
}

function middleOf(request: RecordedRequest) {
  return isStreamed(request) ? { insideEvent: MIDDLE[dialectOf(request)] } : { byte: 40 }
}

/** Some of the text and a clean end of the connection, but nothing that says that the answer is whole. */
function unfinished(request: RecordedRequest): Behaviour {
  if (isStreamed(request)) return { ...WHOLE, pieces: PIECES.slice(0, 2), omit: ['finish', 'done'] }
  return { ...WHOLE, cut: { at: middleOf(request), how: 'close' } }
}

function failing(request: RecordedRequest): Behaviour {
  if (!isStreamed(request)) return { type: 'status', status: 500 }
  return { ...WHOLE, type: 'error-in-stream', afterEvents: MIDDLE[dialectOf(request)] }
}

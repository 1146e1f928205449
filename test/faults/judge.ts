// What must hold of every run, whatever the provider did: the client has a whole answer or was told in its own format that it
// has none, and the books say the same once.

import { expect } from 'vitest'
import { eventData, soon, usageOf } from '../gateway/support.ts'
import {
  eventNames,
  expectBrokenStream,
  expectFormatError,
  refusingStatus,
  typeOfRefusing,
  type FormatName,
} from '../gateway/formats.ts'
import { readStrictly as readMessages } from '../dialect/messages/strict-client.ts'
import { readStrictly as readResponses } from '../dialect/responses/strict-reader.ts'
import type { Farebox } from '../support/farebox.ts'
import { wordsOf, type Run } from './fault.ts'

/** An answer as the client has it. Of one that is very long only its end is kept. */
export type Seen = { readonly status: number; readonly headers: Headers; readonly text: string }

/** How an exchange ended for its client: what its usage record has to say as well. */
type Ending = { readonly outcome: 'answered' | 'cut' | 'failed' | 'refused'; readonly status: number }

const MAX_KEPT = 24 * 1024 * 1024
const KEPT_END = 64 * 1024

export async function readSeen(response: Response): Promise<Seen> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_KEPT) text = text.slice(-KEPT_END).replace(/^[^]*?\r?\n\r?\n/, '')
  }
  return { status: response.status, headers: response.headers, text }
}

/** Holds what the client saw against the row. */
export async function expectSeen(run: Run, seen: Seen): Promise<Ending> {
  const sees = typeof run.fault.sees === 'function' ? run.fault.sees(run) : run.fault.sees
  const isBegun = seen.status === 200
  switch (sees.type) {
    case 'answer':
      return expectAnswer(run, seen)
    case 'cut':
      return expectCut(run, seen, sees.hasEnd)
    case 'error':
      return expectOwnError(run, seen, sees)
    case 'refuses-us': {
      const status = refusingStatus(run.format.name)
      expect(seen.headers.get('x-should-retry')).toBe('false')
      await expectFormatError(asResponse(seen), run.format.name, status, typeOfRefusing(run.format.name))
      return { outcome: 'failed', status }
    }
    case 'refused':
      return expectRefusal(run, seen, sees.status)
    case 'judged':
      return expectJudged(run, seen, sees.status)
    case 'broken':
      return isBegun && run.mode === 'streamed' ? expectCut(run, seen) : expectOwnError(run, seen, sees)
    case 'answer-or-502':
      return isBegun ? expectAnswer(run, seen) : expectOwnError(run, seen, { status: 502 })
  }
}

async function expectOwnError(run: Run, seen: Seen, wanted: { status: number; retryAfter?: RegExp }): Promise<Ending> {
  await expectFormatError(asResponse(seen), run.format.name, wanted.status)
  const retryAfter = seen.headers.get('retry-after')
  if (wanted.retryAfter !== undefined) expect(retryAfter).toMatch(wanted.retryAfter)
  // Clients wait for as long as this says, and a date would be lost on some of them.
  if (retryAfter !== null) expect(retryAfter).toMatch(/^[1-9]\d{0,5}$/)
  return { outcome: 'failed', status: wanted.status }
}

/** The status is the provider's. */
async function expectRefusal(run: Run, seen: Seen, status: number): Promise<Ending> {
  if (run.isPassed) {
    expect([seen.status, seen.headers.get('content-type')]).toEqual([status, 'application/json'])
    expect(JSON.parse(seen.text)).toHaveProperty('error')
  } else await expectFormatError(asResponse(seen), run.format.name, TRANSLATED[status] ?? status)
  return { outcome: 'refused', status }
}

async function expectJudged(run: Run, seen: Seen, status: number): Promise<Ending> {
  if (status === 200) expectCut(run, seen)
  else {
    const response = asResponse(seen)
    const { error } = (await response.clone().json()) as { error: { details?: object } }
    // Errors of Google's have details in any case.
    const isOverflow = run.format.name === 'gemini' ? /"code":"context/.test(seen.text) : error.details !== undefined
    const details = isOverflow ? { details: { code: 'context_length_exceeded' } } : {}
    await expectFormatError(response, run.format.name, status, details)
  }
  return { outcome: 'refused', status: 400 }
}

/** The statuses of providers that clients of another format are told in another. The record has the provider's own. */
const TRANSLATED: Readonly<Record<number, number>> = { 415: 400, 422: 400 }

function expectCut(run: Run, { status, text }: Seen, hasEnd = false): Ending {
  expect(`${status} ${text}`).toMatch(/^200 /)
  if (!run.isPassed || run.format.name !== 'responses')
    expectBrokenStream(text, hasEnd ? { ...run.format, terminal: /(?!)/ } : run.format)
  else {
    // A provider of responses tells of its error in events of its own, which are passed on.
    const names = eventNames(text).filter((name) => name !== '[DONE]')
    expect(names.at(-1)).toBe('response.failed')
    expect(names).not.toContain('response.completed')
    expect(names).not.toContain('response.incomplete')
  }
  return { outcome: 'cut', status: 200 }
}

function expectAnswer(run: Run, { status, text, headers }: Seen): Ending {
  expect(`${status} ${text}`).toMatch(/^200 /)
  const finds = wordsOf(run)
  if (finds !== null) expect(text).toContain(finds)
  if (run.mode === 'whole') {
    expect(headers.get('content-type')).toBe('application/json')
    expect(JSON.parse(text)).toMatchObject(WHOLE_ANSWERS[run.format.name])
  } else expectWholeStream(run, text)
  return { outcome: 'answered', status: 200 }
}

const WHOLE_ANSWERS: Readonly<Record<FormatName, object>> = {
  chat: { object: 'chat.completion', choices: expect.any(Array) },
  messages: { type: 'message', role: 'assistant', content: expect.any(Array) },
  responses: { object: 'response', status: expect.stringMatching(/completed|incomplete/), output: expect.any(Array) },
  // A provider may leave out any member.
  gemini: {},
}

/** What Farebox wrote is held against the strictest readers; what it passed on is the provider's, but for its end. */
function expectWholeStream({ format, isPassed }: Run, text: string): void {
  expect(text).toMatch(isPassed ? /(\r\n|\r|\n)\1$/ : /\n\n$/)
  const data = eventData(text)
  const last = data.at(-1)
  switch (format.name) {
    case 'chat':
      expect(last).toBe('[DONE]')
      expect(data.filter((one) => one === '[DONE]')).toHaveLength(1)
      expect(text).not.toMatch(/^data: \{"error"/m)
      if (!isPassed) expect(text).toMatch(/"finish_reason":"/)
      return
    case 'messages':
      expect(last).toMatch(/"message_stop"/)
      expect(text).not.toMatch(/^event: error/m)
      if (!isPassed) readMessages(text)
      return
    case 'responses':
      expect(last).toBe('[DONE]')
      expect(data.at(-2)).toMatch(/"response\.(completed|incomplete)"/)
      if (!isPassed) readResponses(text)
      return
    case 'gemini':
      expect(text).not.toMatch(/^data: \{"error"/m)
      // A blocked prompt has no candidates, and a provider may send counts behind its end.
      if (!isPassed) expect(last).toMatch(/"finishReason":"/)
  }
}

function asResponse({ status, headers, text }: Seen): Response {
  return new Response(text, { status, headers })
}

/** What can be charged for an ordinary answer at the very most, and for a count beyond all reason. */
const MAX_CREDITS = 0.02
const MAX_BOUNDED_CREDITS = 3000

type Settled = { readonly farebox: Farebox; readonly name: string; readonly key: string; readonly ending: Ending }

/** One record that says what the client saw, nothing held, and a charge for what was delivered and for nothing else. */
export async function expectSettled(run: Run, { farebox, name, key, ending }: Settled): Promise<void> {
  // Who waits for no more than bad news does not wait for a slow count.
  if (ending.outcome === 'cut') await soon(async () => (await usageOf(farebox, name)).length > 0)
  const records = await usageOf(farebox, name)
  expect(records).toHaveLength(1)
  expect(records[0]).toMatchObject({ ...ending, stream: run.mode === 'streamed' })
  const charge = records[0]?.charge_credits ?? Number.NaN
  if (ending.status === 200) {
    const { charge: wanted, source } = run.fault
    if (source !== undefined) expect(records[0]?.usage_source).toBe(source)
    if (typeof wanted === 'number') expect(charge).toBe(wanted)
    expect(charge).toBeGreaterThan(0)
    expect(charge).toBeLessThanOrEqual(wanted === 'bounded' ? MAX_BOUNDED_CREDITS : MAX_CREDITS)
  } else expect(charge).toBe(0)
  const balance = await farebox.balance(key)
  expect(balance).toMatchObject({ held_credits: 0, used_credits: charge, total_requests: 1 })
}

/** A name for a run that says all of it. */
export function nameOf({ fault, dialect, format, mode }: Run): string {
  return `${format.name} at ${dialect}, ${mode}: ${fault.name}`
}

// Sessions that change their provider: every format, from every dialect to every other, between turns and in the middle of a
// tool loop, with parallel calls and with ids that repeat. No request may be refused by a provider that holds it against its
// vendor's rules, and what a provider sealed comes back to it.

import { describe, expect, it } from 'vitest'
import type { ClientFormat } from '#dialect/dialects.ts'
import {
  answer,
  CLIENTS,
  isPassed,
  PROVIDERS,
  sendOk,
  sharesSeals,
  UPSTREAM_MODELS,
  type ProviderName,
} from './pair.ts'
import { Session } from './session.ts'
import { StrictProvider, type IdKind } from './strict-provider.ts'
import { cases } from '../support/cases.ts'

type Step = readonly ['from' | 'to', number]
type Case = { readonly name: string; readonly ids: IdKind; readonly steps: readonly Step[] }

/** Who answers, and with how many calls; an answer without calls is a text. */
const CASES: readonly Case[] = [
  {
    name: 'resumed',
    ids: 'random',
    steps: [
      ['from', 0],
      ['to', 0],
      ['to', 1],
      ['to', 0],
      ['from', 0],
      ['from', 0],
    ],
  },
  {
    name: 'failed over in a tool loop',
    ids: 'random',
    steps: [
      ['from', 1],
      ['from', 1],
      ['to', 1],
      ['to', 1],
      ['to', 0],
      ['to', 1],
      ['from', 1],
      ['from', 0],
    ],
  },
  {
    name: 'with parallel calls',
    ids: 'random',
    steps: [
      ['from', 2],
      ['to', 3],
      ['from', 2],
      ['to', 0],
      ['from', 0],
    ],
  },
  {
    name: 'with ids that repeat',
    ids: 'counted',
    steps: [
      ['from', 2],
      ['from', 2],
      ['to', 2],
      ['to', 1],
      ['to', 0],
      ['from', 2],
      ['to', 2],
      ['from', 0],
    ],
  },
  {
    name: 'with ids that only their model takes',
    ids: 'odd',
    steps: [
      ['from', 1],
      ['from', 2],
      ['to', 2],
      ['from', 0],
      ['to', 1],
      ['to', 0],
    ],
  },
]

/** The vendors' models of today, and those of others that speak the same dialects. */
const MODELS: readonly Readonly<Record<ProviderName, string>>[] = [
  UPSTREAM_MODELS,
  {
    'chat-completions': 'gpt-5.5',
    messages: 'claude-sonnet-4-5',
    responses: 'acme-large',
    gemini: 'gemini-2.5-pro',
    'bedrock-converse': 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  },
]

/** From where to where, with which models: with all of them, or with each in turn where little is tried. */
const ROUTES = PROVIDERS.flatMap((from) => PROVIDERS.map((to) => [from, to] as const)).map(
  ([from, to], index) => [from, to, cases(MODELS.slice(index % 2, (index % 2) + 1), MODELS, MODELS)] as const,
)
const QUIRKS = { reasoningField: 'reasoning' } as const
const ID = /^[a-zA-Z0-9_-]{1,40}$/

describe.each(CLIENTS)('a session of %s', (format) => {
  describe.each(ROUTES)('from %s to %s', (from, to, tried) => {
    it.each(tried.flatMap((models) => CASES.map((one) => [one.name, models[to], one, models] as const)))(
      '%s (%s)',
      (_name, _model, one, models) => {
        // Codex sends its items back without ids; OpenAI takes that, and servers that follow its schema do not.
        const stripsIds = format === 'responses' && !models.responses.startsWith('gpt-')
        const session = new Session(format, { stripsIds })
        run({ session, format, from, to, models }, one)
      },
    )
  })
})

type Journey = {
  readonly session: Session
  readonly format: ClientFormat
  readonly from: ProviderName
  readonly to: ProviderName
  readonly models: Readonly<Record<ProviderName, string>>
}

function run({ session, format, from, to, models }: Journey, { ids, steps }: Case): void {
  const first = new StrictProvider(from, ids)
  const providers = {
    from: first,
    to: from === to ? first : new StrictProvider(to, ids, sharesSeals(from, to) ? first.seals : undefined),
  }
  for (const [index, [side, calls]] of steps.entries()) {
    const provider = side === 'from' ? from : to
    const pair = { client: format, provider, name: `step ${index + 1}, ${side}` }
    const exchangeId = `01a1fc79-d4e6-7000-857c-${String(index).padStart(12, '0')}`
    const { prepared, body } = sendOk(pair, session.request, { model: models[provider], quirks: QUIRKS, exchangeId })
    const hasCalled = steps.slice(0, index).some(([earlier, count]) => earlier === side && count > 0)
    if (hasCalled) expect(providers[side].knowsItself(body), `${pair.name}: no seal came back`).toBe(true)
    const whole = providers[side].answer(body, calls)
    const before = [...session.callIds]
    session.goOn(answer(prepared, [Buffer.from(JSON.stringify(whole))]).text)
    if (isPassed(pair)) continue
    for (const [at, id] of session.callIds.slice(before.length).entries()) {
      expect(session.callIds.indexOf(id), `${pair.name}: the id ${id} is not new`).toBe(before.length + at)
      expect(id).toMatch(ID)
    }
  }
}

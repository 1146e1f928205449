// An answer that is kept holds nothing of its exchange but what the memory counts.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { ClientRequest, KeepAnswer } from '#dialect/dialect.ts'
import { passKeeper } from '#dialect/responses/kept-pass.ts'
import { askedIn } from '#dialect/responses/recall.ts'
import { ResponsesStreamWriter } from '#dialect/responses/write-stream.ts'
import { AnswerMemory } from '#pipeline/answer-memory.ts'
import { context, request, USAGE } from './requests.ts'

const ITEM = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Grüße' }] }

function passed(encoding: 'latin1' | 'utf8') {
  return (asked: ClientRequest, keep: KeepAnswer) => {
    const output = [{ ...ITEM, content: [{ type: 'output_text', text: Buffer.from('Grüße').toString(encoding) }] }]
    passKeeper(asked, encoding, keep)?.({ id: 'resp_1' }, output)
  }
}

function translated(asked: ClientRequest, keep: KeepAnswer) {
  const writer = new ResponsesStreamWriter({ ...context(), request: asked, keep })
  writer.write({ type: 'open', choice: 0, block: { type: 'text' } })
  writer.write({ type: 'delta', choice: 0, text: 'Grüße' })
  writer.write({ type: 'finish', choice: 0, reason: 'stop' })
  writer.end(USAGE)
}

function collect(): void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('globalThis.gc') as () => void
  setFlagsFromString('--no-expose-gc')
  gc()
}

/** Keeps one answer, in a call of its own so that nothing of the request is left on the stack. */
function keepOne(memory: AnswerMemory, exchange: (asked: ClientRequest, keep: KeepAnswer) => void) {
  const asked = request({ input: 'Hi', metadata: { note: 'x'.repeat(100_000) } })
  const ids: { answer?: string } = {}
  exchange(asked, (answer) => {
    ids.answer = answer.id
    memory.keep('key', { ...answer, asked: askedIn(asked) })
  })
  return { ids, freed: [asked, asked.body, asked.body.value, asked.body.scan].map((part) => new WeakRef<object>(part)) }
}

describe.each([
  ['passed on as a whole', passed('utf8')],
  ['passed on as a stream', passed('latin1')],
  ['translated', translated],
])('an answer that was %s', (_how, exchange) => {
  it('is kept without its request', async () => {
    const memory = new AnswerMemory({ monotonicMs: () => 0, keptMs: 1000 })
    const { ids, freed } = keepOne(memory, exchange)
    // What a weak reference names lives at least until the job that made the reference ends.
    await new Promise((resolve) => setImmediate(resolve))
    collect()
    expect(freed.map((part) => part.deref())).toEqual(freed.map(() => undefined))
    const items =
      memory
        .of('key')
        ?.answer(ids.answer ?? '')
        ?.items() ?? []
    expect(items.map(({ text }) => text).join()).toContain('Grüße')
  })
})

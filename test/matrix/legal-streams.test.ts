// The recorded streams of real servers in other legal orders and without what servers leave out: for every client of another
// format the answer is the same, never doubled, never lost, and never free. The long tests have 1,000 of each stream.

import { describe, expect, it } from 'vitest'
import { readLeniently } from '../support/lenient-reader.ts'
import { legalStream } from '../support/legal-streams.ts'
import { readRecordings, textOf } from '../support/recording.ts'
import { ASKING } from './answers/all.ts'
import { foldStream } from './fold.ts'
import { answer, sendOk, TRANSLATED_PAIRS, type Pair } from './pair.ts'
import { cases } from '../support/cases.ts'

const VARIANTS = cases(15, 40, 1_000)

const STREAMS = [...readRecordings()].filter(([, { status, stream }]) => status === 200 && stream)

describe.each(STREAMS)('%s', (_, recording) => {
  const pairs = TRANSLATED_PAIRS.filter(({ provider }) => provider === recording.dialect)
  const told = readLeniently(recording.dialect, textOf(recording))

  it.each(pairs)(`is the same in ${VARIANTS} other ways to say it: $name`, (pair) => {
    for (let seed = 0; seed < VARIANTS; seed += 1) {
      const { text: sent, done, isWithoutUsage } = legalStream(recording.dialect, textOf(recording), seed)
      const what = `seed ${seed}: ${done.join(', ')}`
      const { text, failure } = answer(ask(pair), [Buffer.from(sent)])
      expect(failure?.message, what).toBeUndefined()
      const seen = foldStream(pair.client, text)
      expect({ text: seen.text, reasoning: seen.reasoning, tools: seen.tools }, what).toEqual({
        text: told.text,
        reasoning: told.reasoning,
        tools: told.tools,
      })
      // What a server that reports 0 tokens for a text is charged for, the gateway says (test/gateway/recorded.test.ts).
      const reported = isWithoutUsage ? undefined : told.usage?.output
      if (reported === undefined) expect(seen.usage.output, what).toBeGreaterThan(0)
      else if (reported > 0) expect(seen.usage.output, what).toBe(reported)
    }
  })
})

function ask(pair: Pair) {
  return sendOk(pair, { ...ASKING[pair.client], stream: true }).prepared
}

// What a client gets of a stream in the Gemini format, however it ends.

import { describe, expect, it } from 'vitest'
import { refuse } from '#core/refusal.ts'
import { UNKNOWN_USAGE } from '#core/usage.ts'
import { GeminiTap } from '#dialect/gemini/tap-stream.ts'
import { chunk } from './gemini-streams.ts'

const LAST = chunk([{ text: 'hi' }], { finishReason: 'STOP', index: 0 })

describe('an array whose first chunk has the finish reason', () => {
  function begun() {
    const tap = new GeminiTap({ streamType: 'application/json', choices: 1 })
    const sent = tap.read(`data: ${JSON.stringify(LAST)}\n\n`, LAST) + (tap.keepAlive() ?? '')
    return { tap, sent }
  }

  it('is whole where the provider breaks', () => {
    const { tap, sent } = begun()
    const text = sent + tap.fail(refuse('upstream_error', 'It broke.'), 'id').toString()
    expect(JSON.parse(text)).toEqual([{ error: expect.anything() as unknown }])
  })

  it('is whole where it ends, and where it is cut short', () => {
    const ended = begun()
    expect(JSON.parse(ended.sent + (ended.tap.end() ?? ''))).toEqual([LAST])
    const cut = begun()
    expect(JSON.parse(cut.sent + cut.tap.cutShort(UNKNOWN_USAGE))).toEqual([LAST])
  })
})

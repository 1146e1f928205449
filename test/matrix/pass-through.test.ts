// Where client and provider speak the same dialect, bytes are passed on: requests with a few members edited, answers as
// they come, wherever the network cuts them.

import { describe, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { ANSWERS, ASKING } from './answers/all.ts'
import { answer, asSent, byteByByte, DEFAULT_CAP, PASSED_PAIRS, sendOk, sendText, type Pair } from './pair.ts'
import { REQUESTS } from './requests/all.ts'

const CAP_MEMBERS = {
  chat: 'max_tokens',
  messages: 'max_tokens',
  responses: 'max_output_tokens',
  gemini: 'generationConfig',
} as const
/** A cap of 4000 as a member. */
const capOf = (pair: Pair) => (pair.client === 'gemini' ? { maxOutputTokens: 4000 } : 4000)
/** White space and an order of members that no serializer of ours would make. */
const unusual = (body: JsonObject) => JSON.stringify(body, null, 3).replaceAll('\n', ' \r\n')

for (const pair of PASSED_PAIRS) {
  describe(`${pair.client} passed through`, () => {
    // What other dialects sealed is taken out, which `mended.test.ts` is about.
    const requests = Object.entries(REQUESTS[pair.client]).filter(([name]) => !name.startsWith('seals of other'))

    it.each(requests)('%s: reaches the provider byte for byte but for its edits', (name, given) => {
      // A provider that was told to keep nothing knows no reasoning without a seal, so that it is taken out then.
      const body = 'store' in given && name.includes('encrypted') ? { ...given, store: true } : given
      const text = unusual({ zzz_unknown: { deep: [1, null] }, ...asSent(pair.client, body).inBody })
      const expected = edited(pair, text, body)
      // Claude's own models refuse thinking that others gave, so that it is taken out: the one request that has some.
      const sent = bodyOf(pair, { text, body }, name.includes('unsigned') ? 'another-model' : 'gpt-4.1')
      expect(sent).toBe(
        expected.replace('"farebox-model"', name.includes('unsigned') ? '"another-model"' : '"gpt-4.1"'),
      )
    })

    it('keeps the name of the model where the provider calls it the same', () => {
      const body = { ...ASKING[pair.client], [CAP_MEMBERS[pair.client]]: capOf(pair) }
      const text = unusual(asSent(pair.client, body).inBody)
      expect(bodyOf(pair, { text, body }, 'farebox-model')).toBe(text)
    })

    const complete = ANSWERS[pair.provider].filter(({ holds }) => holds !== undefined)

    it.each(complete.map((fixture) => [fixture.name, fixture] as const))(
      '%s: is answered byte for byte',
      (_, fixture) => {
        const { stream, whole } = fixture
        if (whole !== undefined) {
          const text = unusual(whole)
          expect(answer(sendOk(pair, ASKING[pair.client]).prepared, [Buffer.from(text)]).text).toBe(text)
        }
        if (stream === undefined) return
        // The contract promises an end that OpenAI does not send.
        const end = pair.client === 'responses' ? 'data: [DONE]\n\n' : ''
        for (const text of [stream, stream.replaceAll('\n', '\r\n')]) {
          const { prepared } = sendOk(pair, { ...ASKING[pair.client], stream: true })
          expect(answer(prepared, [Buffer.from(text)]).text).toBe(text + end)
          expect(answer(prepared, byteByByte(text)).text).toBe(text + end)
        }
      },
    )

    const broken = ANSWERS[pair.provider].filter(({ name }) => /^(error|cut|not of)/.test(name))

    it.each(broken.map((fixture) => [fixture.name, fixture] as const))(
      'never makes a complete answer of: %s',
      (_, fixture) => {
        const { stream = '', whole } = fixture
        const { prepared } = sendOk(pair, { ...ASKING[pair.client], stream: true })
        for (const chunks of [byteByByte(stream), stream.split(/(?<=\n\n)/).map((event) => Buffer.from(event))]) {
          const answered = answer(prepared, chunks)
          // A response that failed is an end that the dialect has: it is passed on as it is.
          const isEnd = pair.client === 'responses' && answered.text.includes('event: response.failed')
          expect(answered.failure !== undefined || isEnd).toBe(true)
          expect(answered.text).not.toMatch(/message_stop|response\.completed/)
        }
        if (whole === undefined) return
        const answered = answer(sendOk(pair, ASKING[pair.client]).prepared, [Buffer.from(JSON.stringify(whole))])
        expect(answered.failure).toBeDefined()
      },
    )
  })
}

type Given = { readonly text: string; readonly body: JsonObject }

function bodyOf(pair: Pair, { text, body }: Given, model: string): string {
  const sent = sendText(pair, text, { model, quirks: { keepsThreads: true } }, asSent(pair.client, body).asked)
  if (isRefusal(sent)) throw new Error(`refused: ${sent.message}`)
  expect(sent.prepared).toMatchObject({ isPassed: true, dropped: [] })
  return sent.body
}

/** The client's text with the only members that may be edited, but for the name of the model. */
function edited(pair: Pair, text: string, body: JsonObject): string {
  const added: string[] = []
  const hasCap = Object.keys(body).some((name) => /^max_(output_|completion_)?tokens$|^generation/.test(name))
  const cap = pair.client === 'gemini' ? `{"maxOutputTokens":${DEFAULT_CAP}}` : String(DEFAULT_CAP)
  if (!hasCap) added.push(`"${CAP_MEMBERS[pair.client]}":${cap}`)
  const wantsUsage = body['stream_options'] !== undefined
  if (pair.client === 'chat' && body['stream'] === true && !wantsUsage)
    added.push('"stream_options":{"include_usage":true}')
  return added.length === 0 ? text : `${text.slice(0, text.lastIndexOf('}'))},${added.join(',')}}`
}

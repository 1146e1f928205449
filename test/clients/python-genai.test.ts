// Google's SDK for Python through Farebox, with providers of all dialects: a tool round trip in a streamed chat, whole answers, counts,
// embeddings, the list of models and refusals.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chatModel } from '../support/farebox.ts'
import { requirementsIfThere } from '../support/python-packages.ts'
import type { RecordedRequest } from '../support/upstream.ts'
import { DIALECTS, startPairs, weatherCall, type Pairs } from './pairs.ts'

const packages = await requirementsIfThere(
  'vendor-schemas',
  join(import.meta.dirname, '..', 'vendor-schemas', 'requirements.txt'),
)
const LIMIT_MS = 600_000
const EMBEDDING_MODELS = ['vec-chat-completions', 'vec-gemini']

let pairs: Pairs

beforeAll(async () => {
  pairs = await startPairs()
  for (const id of EMBEDDING_MODELS) {
    const targets = [{ provider: id.replace('vec-', ''), model: 'their-embedding' }]
    const more = { kind: 'embedding' as const, price: { input: 1, output: 0 }, max_output_tokens: 1, targets }
    await pairs.farebox.admin.call('addModel', { body: chatModel(id, more) })
  }
})

afterAll(() => pairs.close())

/** Calls a tool until its result is there. */
function calling(request: RecordedRequest) {
  const isTold = request.text.includes('sunny')
  if (isTold || !request.text.includes('get_weather')) return { type: 'answer', text: 'All is well.' } as const
  return { type: 'answer', toolCalls: [weatherCall('call_1', 'Bern')] } as const
}

async function run(wishes: object): Promise<unknown> {
  const env = { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' }
  const script = join(import.meta.dirname, 'google_genai_client.py')
  const program = spawn('python3', [script], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  program.stdin.end(JSON.stringify(wishes))
  return JSON.parse(await text(program.stdout)) as unknown
}

it.skipIf(packages === undefined)(
  'gets from providers of every dialect what it gets from Google',
  async () => {
    pairs.upstream.script(calling)
    const each = <Value>(value: Value) => Object.fromEntries(DIALECTS.map((model) => [model, value]))
    const wishes = { url: pairs.farebox.url, key: await pairs.farebox.newKey('plenty'), wrong_key: 'key_wrong' }
    const seen = await run({ ...wishes, models: DIALECTS, embedding_models: EMBEDDING_MODELS })
    expect(seen).toEqual({
      trips: each({ calls: [['get_weather', { city: 'Bern' }]], text: 'All is well.' }),
      texts: each('All is well.'),
      counts: each(expect.any(Number)),
      vectors: Object.fromEntries(EMBEDDING_MODELS.map((model) => [model, [3, 3]])),
      listed: [...DIALECTS, ...EMBEDDING_MODELS].map((model) => `models/${model}`).toSorted(),
      refused: [
        [401, 'UNAUTHENTICATED'],
        [401, 'UNAUTHENTICATED'],
        [404, 'NOT_FOUND'],
      ],
    })
    expect(await pairs.farebox.balance(wishes.key)).toMatchObject({ held_credits: 0 })
  },
  LIMIT_MS,
)

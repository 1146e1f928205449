// What a running Farebox writes: answers of its own provider, lists of models, counts, errors of every kind, and what it asks providers.

import { get, HELLO, post, type Pair } from '../gateway/support.ts'
import { ask, DIALECTS, FORMATS, startFormats, type Format } from '../gateway/formats.ts'
import { chatModel } from '../support/farebox.ts'
import type { Behaviour } from '../support/upstream-behaviour.ts'
import { streamSamples, type Sample } from './samples.ts'

/** The type of what a provider is asked, by the end of the path. */
const REQUEST_SCHEMAS: readonly (readonly [end: RegExp, schema: string])[] = [
  [/\/chat\/completions$/, 'chat request'],
  [/\/messages$/, 'messages request'],
  [/\/count_tokens$/, 'count request'],
  [/\/responses$/, 'responses request'],
  [/\/embeddings$/, 'embeddings request'],
  [/:(?:streamG|g)enerateContent(?:\?.*)?$/, 'gemini request'],
]

type Open = { readonly pair: Pair; readonly key: string; readonly poor: string }

export async function gatewaySamples(): Promise<Sample[]> {
  const pair = await startFormats({ packages: [{ name: 'poor', type: 'topup', credits: 0.000001 }] })
  const { farebox } = pair
  try {
    await farebox.admin.call('addModel', { body: embeddingModel('demo-embedding', 'demo') })
    await farebox.admin.call('addModel', { body: embeddingModel('embedding', 'chat-completions') })
    const open = { pair, key: await farebox.newKey('plenty'), poor: await farebox.newKey('poor') }
    const answers = [
      ...(await calls(open)),
      ...(await embeddings(open)),
      ...(await counts(open)),
      ...(await lists(open)),
    ]
    return [...answers, ...asked(pair), ...(await errors(open))]
  } finally {
    await pair.close()
  }
}

function embeddingModel(id: string, provider: string) {
  return chatModel(id, { kind: 'embedding', price: { input: 1, output: 0 }, targets: [{ provider, model: id }] })
}

async function calls({ pair, key }: Open): Promise<Sample[]> {
  const samples: Sample[] = []
  for (const format of FORMATS) {
    for (const model of ['demo', ...DIALECTS]) {
      const from = `${format.name} at ${model}`
      const whole = await textOf(ask(pair, format, { key, members: { model } }))
      const stream = await textOf(ask(pair, format, { key, members: { model, stream: true } }))
      // What passes is the provider's.
      if (model === format.dialect) continue
      samples.push({ schema: `${format.name} answer`, text: whole, from }, ...streamSamples(format.name, stream, from))
    }
  }
  return samples
}

async function embeddings({ pair, key }: Open): Promise<Sample[]> {
  const own = await textOf(
    post(pair.farebox, { model: 'demo-embedding', input: ['one', 'two'] }, { key, path: '/v1/embeddings' }),
  )
  await textOf(post(pair.farebox, { model: 'embedding', input: 'one' }, { key, path: '/v1/embeddings' }))
  return [{ schema: 'embeddings answer', text: own, from: 'embeddings at demo' }]
}

async function counts({ pair, key }: Open): Promise<Sample[]> {
  const samples: Sample[] = []
  for (const model of ['demo', ...DIALECTS]) {
    const path = '/v1/messages/count_tokens'
    const text = await textOf(post(pair.farebox, { model, messages: HELLO }, { key, path }))
    samples.push({ schema: 'count answer', text, from: `count at ${model}` })
  }
  return samples
}

async function lists({ pair, key }: Open): Promise<Sample[]> {
  const texts = [
    ['models', await textOf(get(pair.farebox, '/v1/models', key))],
    ['model', await textOf(get(pair.farebox, '/v1/models/chat-completions', key))],
  ] as const
  return texts.flatMap(([schema, text]) => [
    { schema: `openai ${schema}`, text, from: 'lists' },
    { schema: `anthropic ${schema}`, text, from: 'lists' },
  ])
}

/** All that the providers were asked. */
function asked({ upstream }: Pair): Sample[] {
  return upstream.requests.flatMap(({ path, text }) => {
    const schema = REQUEST_SCHEMAS.find(([end]) => end.test(path))?.[1]
    return schema === undefined ? [] : [{ schema, text, from: `asked at ${path}` }]
  })
}

/** What a provider does that its clients are told of: as an error, or in the middle of a stream. */
const FAILURES: readonly Behaviour[] = [
  ...[400, 401, 404, 413, 429, 500, 503].map((status): Behaviour => ({ type: 'status', status })),
  { type: 'error-in-200' },
  { type: 'error-in-stream', afterEvents: 2, text: 'one two three' },
  { type: 'broken-stream', atEvent: 2, how: 'not-json', text: 'one two three' },
]

async function errors(open: Open): Promise<Sample[]> {
  const samples: Sample[] = []
  for (const format of FORMATS) {
    for (const [from, response] of refusedCalls(open, format)) samples.push(await errorSample(format, from, response))
    for (const [index, failure] of FAILURES.entries()) samples.push(...(await failedCall(open, format, failure, index)))
  }
  return samples
}

/** One call of a model that another dialect's provider fails to answer, whole and streamed. */
async function failedCall({ pair, key }: Open, format: Format, failure: Behaviour, index: number): Promise<Sample[]> {
  const from = `${format.name}: ${JSON.stringify(failure)}`
  const model = DIALECTS.filter((dialect) => dialect !== format.dialect)[index % 3]
  pair.upstream.script(failure)
  try {
    const whole = ask(pair, format, { key, members: { model } })
    const samples = (await whole).ok ? [] : [await errorSample(format, from, whole)]
    const stream = await ask(pair, format, { key, members: { model, stream: true } })
    if (stream.ok) return [...samples, ...streamSamples(format.name, await stream.text(), from)]
    return [...samples, await errorSample(format, from, Promise.resolve(stream))]
  } finally {
    pair.upstream.forget()
  }
}

async function errorSample({ name }: Format, from: string, response: Promise<Response>): Promise<Sample> {
  const schema = name === 'messages' || name === 'gemini' ? `${name} error` : 'chat error'
  return { schema, text: await textOf(response), from }
}

function refusedCalls({ pair, key, poor }: Open, format: Format): [string, Promise<Response>][] {
  const model = 'demo'
  const wrong = format.name === 'gemini' ? { generationConfig: { temperature: 'hot' } } : { temperature: 'hot' }
  return [
    [`${format.name}: no key`, ask(pair, format, { members: { model } })],
    [`${format.name}: no such model`, ask(pair, format, { key, members: { model: 'none' } })],
    [`${format.name}: a wrong member`, ask(pair, format, { key, members: { model, ...wrong } })],
    [`${format.name}: no credits`, ask(pair, format, { key: poor, members: { model: 'chat-completions' } })],
  ]
}

async function textOf(response: Promise<Response>): Promise<string> {
  return (await response).text()
}

// The list of models in the shape that each family of tools reads, and what is told of what models can do.

import type Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatModel } from '../support/farebox.ts'
import { expectError, manualClock, startPair, type Pair } from './support.ts'

const CREATED = '2026-03-10T12:34:56.789Z'
const ANTHROPIC = { 'anthropic-version': '2023-06-01' }
const CODEX = '?client_version=0.169.0'

let pair: Pair
let narrow: string

beforeAll(async () => {
  pair = await startPair({ clock: manualClock(CREATED) })
  const { admin } = pair.farebox
  const add = (id: string, upstreamModel: string) =>
    admin.call('addModel', {
      body: chatModel(id, { display_name: `Model ${id}`, targets: [{ provider: 'upstream', model: upstreamModel }] }),
    })
  await add('claude', 'claude-opus-4-8')
  await add('gemini', 'gemini-2.5-flash')
  await add('gpt', 'gpt-5.5')
  await add('old-gpt', 'openai/gpt-4o')
  await admin.call('addModel', {
    body: chatModel('both', {
      targets: [
        { provider: 'upstream', model: 'anthropic/claude-opus-4.8' },
        { provider: 'upstream', model: 'google/gemini-3-pro' },
      ],
    }),
  })
  await admin.call('addModel', { body: chatModel('off', { enabled: false }) })
  await admin.call('addPackage', { body: { name: 'narrow', type: 'topup', credits: 1, models: ['gpt'] } })
  narrow = await pair.farebox.newKey('narrow')
})

afterAll(() => pair.close())

async function json<Body>(path: string, headers: Record<string, string> = {}): Promise<Body> {
  const response = await fetch(pair.farebox.url + path, { headers })
  expect(response.status).toBe(200)
  return (await response.json()) as Body
}

type Listed = {
  readonly id: string
  readonly architecture: { readonly input_modalities: readonly string[] }
  readonly supported_parameters: readonly string[]
  readonly reasoning?: { readonly supported_efforts: readonly string[] } | null
}

describe('the common list', () => {
  const listed = async (id: string) => json<Listed>(`/v1/models/${id}`)

  it.each([
    ['claude', ['text', 'image', 'file'], ['low', 'medium', 'high', 'xhigh', 'max']],
    ['gemini', ['text', 'image', 'file', 'audio', 'video'], ['none', 'low', 'medium', 'high']],
    ['gpt', ['text', 'image', 'file'], ['low', 'medium', 'high', 'xhigh']],
    ['both', ['text', 'image', 'file'], ['low', 'high']],
  ])('tells what %s takes and how it can be made to reason', async (id, inputs, efforts) => {
    const model = await listed(id)
    expect(model.architecture.input_modalities).toEqual(inputs)
    expect(model.reasoning).toEqual({ supported_efforts: efforts })
    expect(model.supported_parameters).toContain('reasoning_effort')
  })

  it('says of a model that does not reason that it does not, and of one that nobody knows nothing', async () => {
    const old = await listed('old-gpt')
    expect(old.reasoning).toBeNull()
    expect(old.supported_parameters).not.toContain('reasoning_effort')
    expect(old.supported_parameters).toContain('temperature')
    expect(await listed('chat')).not.toHaveProperty('reasoning')
  })

  it('leaves out parameters that the model refuses', async () => {
    expect((await listed('claude')).supported_parameters).not.toContain('temperature')
  })

  it('names the sizes where tools look for them', async () => {
    expect(await listed('gpt')).toMatchObject({
      context_length: 100_000,
      context_window: 100_000,
      max_output_tokens: 1000,
      top_provider: { context_length: 100_000, max_completion_tokens: 1000 },
    })
  })
})

describe("Anthropic's clients", () => {
  type List = { readonly data: readonly Anthropic.ModelInfo[]; readonly has_more: boolean }

  it('get models with nothing but what Anthropic has', async () => {
    const { data, has_more: more } = await json<List>('/v1/models?limit=1000', ANTHROPIC)
    expect(more).toBe(false)
    expect(data.map(({ id }) => id)).toEqual(['chat', 'embed', 'claude', 'gemini', 'gpt', 'old-gpt', 'both'])
    const claude = data.find(({ id }) => id === 'claude')
    expect(Object.keys(claude ?? {}).toSorted()).toEqual([
      'capabilities',
      'created_at',
      'deprecated_at',
      'display_name',
      'id',
      'lifecycle',
      'line',
      'max_input_tokens',
      'max_tokens',
      'retires_at',
      'type',
    ])
    expect(claude).toMatchObject({
      created_at: CREATED,
      display_name: 'Model claude',
      max_input_tokens: 100_000,
      capabilities: {
        effort: { supported: true, low: { supported: true }, max: { supported: true } },
        image_input: { supported: true },
        pdf_input: { supported: true },
        thinking: { supported: true },
      },
    })
    expect(data.find(({ id }) => id === 'chat')?.capabilities).toBeNull()
  })

  it('find one model, also with a date behind its name', async () => {
    expect(await json('/v1/models/claude-20260101', ANTHROPIC)).toMatchObject({ id: 'claude', type: 'model' })
  })
})

describe("Google's clients", () => {
  it('read whether a model thinks', async () => {
    const { models } = await json<{ models: { name: string; thinking?: boolean }[] }>('/v1beta/models')
    const thinking = Object.fromEntries(models.map(({ name, thinking: does }) => [name, does]))
    expect(thinking).toMatchObject({ 'models/gemini': true, 'models/old-gpt': false })
    expect(thinking['models/chat']).toBeUndefined()
  })
})

describe('Codex', () => {
  type Catalogue = { readonly models: readonly (Record<string, unknown> & { readonly slug: string })[] }
  /** What Codex 0.169 refuses a whole catalogue for, where one model lacks it. */
  const REQUIRED = [
    'slug',
    'display_name',
    'supported_reasoning_levels',
    'shell_type',
    'visibility',
    'supported_in_api',
    'priority',
    'support_verbosity',
    'truncation_policy',
    'experimental_supported_tools',
    'base_instructions',
  ]

  it('gets the chat models in its own form where it asks with its version', async () => {
    const { models } = await json<Catalogue>(`/v1/models${CODEX}`)
    expect(models.map(({ slug }) => slug)).toEqual(['chat', 'claude', 'gemini', 'gpt', 'old-gpt', 'both'])
    for (const model of models) for (const name of REQUIRED) expect(model, model.slug).toHaveProperty(name)
    expect(models.map(({ priority }) => priority)).toEqual([0, 1, 2, 3, 4, 5])
    expect(models.find(({ slug }) => slug === 'claude')).toMatchObject({
      display_name: 'Model claude',
      context_window: 100_000,
      input_modalities: ['text', 'image'],
      default_reasoning_level: 'medium',
      apply_patch_tool_type: 'freeform',
    })
    expect(String(models[0]?.['base_instructions']).length).toBeGreaterThan(500)
  })

  it('knows no inputs but texts and images, and no level of a model that does not reason', async () => {
    const { models } = await json<Catalogue>(`/v1/models${CODEX}`)
    expect(models.find(({ slug }) => slug === 'gemini')?.['input_modalities']).toEqual(['text', 'image'])
    const old = models.find(({ slug }) => slug === 'old-gpt')
    expect(old?.['supported_reasoning_levels']).toEqual([])
    expect(old).not.toHaveProperty('default_reasoning_level')
    expect(models.find(({ slug }) => slug === 'chat')).not.toHaveProperty('input_modalities')
  })

  it('gets with a key what that key may call', async () => {
    const { models } = await json<Catalogue>(`/v1/models${CODEX}`, { authorization: `Bearer ${narrow}` })
    expect(models.map(({ slug }) => slug)).toEqual(['gpt'])
  })

  it('gets the same as a file', async () => {
    const file = await pair.farebox.admin.call('codexModels', {})
    expect(file).toEqual(await json(`/v1/models${CODEX}`))
  })

  it('is told at its search that there is none, with a status after which it goes on', async () => {
    const headers = { authorization: `Bearer ${narrow}`, 'content-type': 'application/json' }
    for (const path of ['/v1/alpha/search', '/alpha/search', '/v1/alpha/search/']) {
      const asked = await fetch(pair.farebox.url + path, { method: 'POST', headers, body: '{"id":"x","model":"gpt"}' })
      expect(await expectError(asked, 404)).toContain('no web search')
    }
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadPresets } from '#catalog/resources.ts'
import type { ProviderCreate } from '#contract/providers.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { refusal, refused } from './support.ts'

let farebox: Farebox
let names = 0

beforeAll(async () => {
  farebox = await startFarebox()
})

afterAll(async () => {
  await farebox.close()
})

const call: Farebox['admin']['call'] = (action, input) => farebox.admin.call(action, input)
const add = (preset: string, more: Partial<ProviderCreate> = {}) =>
  call('addProvider', { body: { name: `provider-${++names}`, preset, ...more } })

describe('a preset', () => {
  it('is listed as it is', async () => {
    expect(await call('listPresets', {})).toEqual(loadPresets())
  })

  it('fills in what is not said', async () => {
    expect(await add('mistral', { secret: 'sk-1' })).toMatchObject({
      preset: 'mistral',
      dialect: 'chat-completions',
      base_url: 'https://api.mistral.ai/v1',
      network: 'public',
      secret_header: 'authorization',
      output_cap_field: 'max_tokens',
      quirks: { stream_usage: false, tool_ids: 'alphanumeric-9', user_after_tool: false },
      has_secret: true,
    })
    expect(await add('groq')).toMatchObject({ output_cap_field: 'max_completion_tokens', has_secret: false })
    expect(await add('ollama')).toMatchObject({ network: 'local', base_url: 'http://127.0.0.1:11434/v1' })
  })

  it('gives way to what is said, quirk by quirk', async () => {
    const said = {
      base_url: 'https://mistral.example/v1',
      network: 'local',
      secret_header: 'api-key',
      output_cap_field: 'max_completion_tokens',
      on_disconnect: 'drain',
      quirks: { stream_usage: true, max_stops: 1 },
    } as const
    expect(await add('mistral', said)).toMatchObject({
      ...said,
      quirks: { stream_usage: true, tool_ids: 'alphanumeric-9', user_after_tool: false, max_stops: 1 },
    })
  })

  it('has another base URL, header and quirks for another dialect', async () => {
    expect(await add('openrouter', { dialect: 'messages' })).toMatchObject({
      dialect: 'messages',
      secret_header: 'authorization',
      quirks: {},
    })
    expect(await add('deepseek', { dialect: 'messages' })).toMatchObject({
      base_url: 'https://api.deepseek.com/anthropic/v1',
      secret_header: 'x-api-key',
      quirks: {},
    })
  })

  it('leaves it to a base URL on this machine that a local server is meant', async () => {
    expect(await add('custom', { base_url: 'http://127.0.0.1:9999/v1' })).toMatchObject({ network: 'local' })
    expect(await add('custom', { base_url: 'https://models.example/v1' })).toMatchObject({ network: 'public' })
  })

  it.each(
    loadPresets().flatMap((preset) =>
      Object.entries(preset.dialects).map(([dialect, entry]) => [preset.id, dialect, entry] as const),
    ),
  )('%s makes a provider that speaks %s', async (id, dialect, { base_url }) => {
    const filled =
      base_url === '{base_url}'
        ? 'https://api.example.com/v1'
        : base_url.replace(/\{(resource|region|location|project)\}/g, 'mine')
    const more = { dialect, ...(filled === base_url ? {} : { base_url: filled }) } as Partial<ProviderCreate>
    expect(await add(id, more)).toMatchObject({ preset: id, dialect, base_url: filled })
  })

  it.each([
    ['a preset that nobody knows', 'openia', {}, 'preset'],
    ['a dialect that the preset has no base URL for', 'groq', { dialect: 'messages' }, 'dialect'],
    ['the demo, which needs none', 'openai', { dialect: 'demo' }, 'dialect'],
    ['a resource that is not named', 'azure-openai', {}, 'base_url'],
    ['no base URL for a provider of its own', 'custom', {}, 'base_url'],
    ['a base URL that is none', 'openai', { base_url: 'api.openai.com' }, 'base_url'],
  ] as const)('is refused with %s', async (_, preset, more, param) => {
    expect(await refusal(add(preset, more))).toEqual(refused.invalid(param))
  })

  it('is applied from a document, again without a change', async () => {
    const document = { providers: [{ name: 'applied', preset: 'cerebras', secret: 'sk-2' }] }
    const apply = async () => (await call('apply', { body: { document } })).changes
    expect(await apply()).toMatchObject([{ action: 'create' }])
    expect(await apply()).toMatchObject([{ action: 'none' }])
    expect((await call('listProviders', {})).find(({ name }) => name === 'applied')).toMatchObject({
      base_url: 'https://api.cerebras.ai/v1',
      output_cap_field: 'max_completion_tokens',
    })
  })

  it('is refused in a document with its place', async () => {
    const document = { providers: [{ name: 'wrong', preset: 'openia' }] }
    expect(await refusal(call('apply', { body: { document } }))).toEqual(refused.invalid('providers.0.preset'))
  })
})

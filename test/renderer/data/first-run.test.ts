import { describe, expect, it } from 'vitest'
import type { Preset } from '#contract/presets.ts'
import type { ModelOffer } from '#contract/provider-models.ts'
import { backupFileBeside } from '#renderer/data/backup-file.ts'
import { isFor, keyOf, modelOf } from '#renderer/data/choices.ts'
import { isFirstRunSkipped, openStep, skipFirstRun, stepAfter, stepBefore } from '#renderer/data/first-run.ts'
import { addable, asksForBaseUrl, firstChoice, freeName, networkAt, tokensIn } from '#renderer/data/preset-choice.ts'

describe('the first run', () => {
  it('goes on at the first step of which nothing is there yet', () => {
    expect(openStep({ hasProvider: false, hasModel: true, hasKey: true })).toBe('provider')
    expect(openStep({ hasProvider: true, hasModel: false, hasKey: true })).toBe('provider')
    expect(openStep({ hasProvider: true, hasModel: true, hasKey: false })).toBe('key')
    expect(openStep({ hasProvider: true, hasModel: true, hasKey: true })).toBe('connect')
  })

  it('has a beginning and an end', () => {
    expect([stepBefore('provider'), stepAfter('arrive')]).toEqual([undefined, undefined])
    expect([stepBefore('key'), stepAfter('connect')]).toEqual(['provider', 'arrive'])
  })

  it('is offered until it was skipped', () => {
    const values = new Map<string, string>()
    const storage = {
      getItem: (name: string) => values.get(name) ?? null,
      setItem: (name: string, value: string) => void values.set(name, value),
    }
    expect(isFirstRunSkipped(storage)).toBe(false)
    skipFirstRun(storage)
    expect(isFirstRunSkipped(storage)).toBe(true)
  })
})

describe('a provider from a preset', () => {
  it('asks for an address where the preset cannot know it', () => {
    expect(asksForBaseUrl(preset('public', 'https://api.example.com/v1'))).toBe(false)
    expect(asksForBaseUrl(preset('public', 'https://{resource}.example.com/v1'))).toBe(true)
    expect(asksForBaseUrl(preset('local', 'http://127.0.0.1:11434/v1'))).toBe(true)
  })

  it('is in the network of whoever types an address that is no public name, and else where the preset says', () => {
    const anywhere = { ...preset('public', '{base_url}'), id: 'custom' }
    expect(networkAt('http://127.0.0.1:11434/v1', preset('public', '{base_url}'))).toBe('public')
    for (const near of [
      'http://127.0.0.1:11434/v1',
      'http://localhost:1234',
      'https://box.lan/v1',
      'http://[::1]:8080',
    ]) {
      expect(networkAt(near, anywhere), near).toBe('local')
    }
    for (const far of ['https://api.example.com/v1', '{base_url}', '', 'api']) {
      expect(networkAt(far, anywhere), far).toBe('public')
      expect(networkAt(far, preset('local', '')), far).toBe('local')
    }
  })

  it('gets a name that is free', () => {
    expect(freeName('openai', [])).toBe('openai')
    expect(freeName('openai', ['openai', 'openai-2', 'openai-4'])).toBe('openai-3')
  })

  it('offers the models that can be added, and chooses the ones that work at once where they are few', () => {
    const few = (['ready', 'unpriced', 'added', 'unsupported', 'no-limits'] as const).map((state) =>
      offer(state, state),
    )
    expect(addable(few).map(({ model }) => model)).toEqual(['ready', 'unpriced', 'no-limits'])
    expect(firstChoice(few)).toEqual(['ready'])
    expect(firstChoice(Array.from({ length: 13 }, (_, index) => offer(String(index), 'ready')))).toEqual([])
  })
})

describe('a number of tokens that is typed', () => {
  it('may have signs between thousands, and is nothing where it is no number', () => {
    for (const text of ['32768', ' 32,768 ', '32.768', "32'768", '32 768']) expect(tokensIn(text), text).toBe(32_768)
    for (const text of ['', '0', '-5', '32k', '1e6', '9999999999', 'abc']) expect(tokensIn(text), text).toBeUndefined()
  })
})

describe('what a test request is sent with', () => {
  const keys = [key('old', 'revoked'), key('new', 'active')]
  const models = [model('off', 'chat', false), model('vec', 'embedding', true), model('talk', 'chat', true)]

  it('is what was chosen, else what works', () => {
    expect(keyOf(keys, 'old')?.name).toBe('old')
    expect(keyOf(keys, 'gone')?.name).toBe('new')
    expect(keyOf([key('old', 'revoked')], undefined)?.name).toBe('old')
    expect(keyOf([], 'old')).toBeUndefined()
  })

  it('fits the format, and is enabled', () => {
    expect(modelOf(models, 'chat', 'off')).toBe('talk')
    expect(modelOf(models, 'messages', 'vec')).toBe('talk')
    expect(modelOf(models, 'embeddings', undefined)).toBe('vec')
    expect(models.map((one) => isFor('chat', one))).toEqual([false, false, true])
  })
})

describe('the file of a backup', () => {
  const atMs = new Date(2026, 10, 21, 12).getTime()

  it('lies beside the folder of the data, in the way of writing of the machine', () => {
    expect(backupFileBeside('/home/ada/farebox', atMs)).toBe('/home/ada/farebox-backup-2026-11-21.db')
    expect(backupFileBeside('/home/ada/farebox/', atMs)).toBe('/home/ada/farebox-backup-2026-11-21.db')
    expect(backupFileBeside('/data', atMs)).toBe('/farebox-backup-2026-11-21.db')
    expect(backupFileBeside('C:\\Users\\ada\\Farebox', atMs)).toBe('C:\\Users\\ada\\farebox-backup-2026-11-21.db')
  })
})

function preset(network: Preset['network'], baseUrl: string): Preset {
  return {
    id: 'p',
    display_name: 'P',
    dialect: 'messages',
    dialects: { messages: { base_url: baseUrl } },
    network,
    secret: 'required',
    key_url: null,
    free: false,
    model_list: { prices: 'none' },
    source: 'https://example.com',
    written: '2026-11-01',
  }
}

function offer(name: string, state: ModelOffer['state']): ModelOffer {
  const limits = { context_window: 1000, max_output_tokens: 100 }
  return {
    model: name,
    id: name,
    display_name: name,
    kind: 'chat',
    kind_source: 'card',
    ...limits,
    price: null,
    price_source: 'none',
    note: null,
    state,
  }
}

const AT = '2026-11-21T12:00:00.000Z'

function key(name: string, status: string) {
  const balance = {
    total_credits: 10,
    remaining_credits: 10,
    used_credits: 0,
    held_credits: 0,
    cycle_started_at: AT,
    next_reset_at: null,
    total_requests: 0,
    last_used_at: null,
  }
  const value = { value_since: AT, previous_valid_until: null, tool: null, project: null, tags: [] }
  const rest = { hint: 'abcd', package: 'starter', owner: null, expires_at: null, created_at: AT, ...value }
  return { id: `id-${name}`, name, status, ...rest, balance, outlook: null }
}

function model(id: string, kind: string, isEnabled: boolean) {
  const limits = { context_window: 1000, max_output_tokens: 100 }
  return { id, display_name: id, kind, ...limits, enabled: isEnabled, price: null, targets: [], created_at: AT }
}

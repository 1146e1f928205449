// The offer of a provider's own models: what is asked, what is sent, and what a person or a program is told.

import { describe, expect, it } from 'vitest'
import { ANSWERS, fakeGateway, OFFERS, refusal, type Answer } from './fake-gateway.ts'
import { run, type World } from './fake-host.ts'

const ADD = 'provider add --preset openai --secret-env KEY'
const LIST = { method: 'GET', path: '/api/providers/p-1/models', body: undefined }
const post = (models: unknown, more: object = {}) => ({
  method: 'POST',
  path: '/api/providers/p-1/models',
  body: { models, ...more },
})

function command(typed: string, world: World = {}) {
  return run(typed.split(' '), { env: { KEY: 'sk-1' }, ...world })
}

/** A gateway that answers one request in its own way. */
function gatewayWith(method: string, path: string, answer: ReturnType<Answer>) {
  return fakeGateway((request) => (request.method === method && request.path === path ? answer : undefined))
}

describe('provider add with a preset', () => {
  it('is named after the preset unless it is given a name', async () => {
    const { requests } = await command(`${ADD} --enable none`)
    expect(requests).toEqual([
      { method: 'POST', path: '/api/providers', body: { name: 'openai', preset: 'openai', secret: 'sk-1' } },
    ])
    const named = await command('provider add work --preset openai --enable none')
    expect(named.requests[0]?.body).toEqual({ name: 'work', preset: 'openai' })
  })

  it('needs a name or a preset', async () => {
    const { exitCode, stderr, store } = await command('provider add --dialect messages')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('NAME or --preset is required')
    expect(store).toEqual([])
  })

  it('without a terminal lists the models, with the command that adds them', async () => {
    const { requests, stdout, exitCode } = await command(ADD)
    expect(requests.slice(1)).toEqual([LIST])
    expect(stdout).toContain('Provider openai is added. Its secret is kept.')
    for (const { model } of OFFERS) expect(stdout).toContain(model)
    expect(stdout).toContain('Half price today.')
    expect(stdout).toContain('farebox provider models openai --enable all\n')
    expect(exitCode).toBe(0)
  })

  it('adds what --enable names without asking', async () => {
    const { requests, stdout, questions } = await command(`${ADD} --enable gpt-ready,gpt-vague --context-window 8192`, {
      typed: ['all'],
    })
    expect(requests.slice(1)).toEqual([post(['gpt-ready', 'gpt-vague'], { context_window: 8192 })])
    expect(stdout).toContain('Enabled: gpt-5.5.')
    expect(stdout).toContain('Not added: gpt-vague. Nobody tells its context window.')
    expect(questions).toEqual([])
  })

  it('says which models are added without a price', async () => {
    const added = [{ ...ANSWERS.addModel, price: null, enabled: false }]
    const gateway = gatewayWith('POST', '/api/providers/p-1/models', { status: 200, body: { added, skipped: [] } })
    const { stdout } = await command(`${ADD} --enable all`, { gateway })
    expect(stdout).toContain('Added without a price, so disabled: gpt-5.5.')
  })

  it.each([
    ['1', ['gpt-ready']],
    ['2, 1', ['gpt-new', 'gpt-ready']],
    ['3', ['gpt-vague']],
    [' all ', 'all'],
  ])('asks on a terminal, and takes %j', async (typed, models) => {
    const { requests, questions } = await command(ADD, { typed: [typed] })
    expect(questions).toHaveLength(1)
    expect(questions[0]).toMatch(/^ +MODEL[^]+1 {2}gpt-ready[^]+2 {2}gpt-new[^]+Which models should be added\?/)
    expect(requests.slice(1)).toEqual([LIST, post(models)])
  })

  it.each([
    ['', 'none', 1],
    ['0', '4', 3],
    ['gpt-ready', '1.5', 3],
  ])('adds nothing for %j and %j', async (first, second, asked) => {
    const { requests, questions, stdout, exitCode } = await command(ADD, { typed: [first, second, '9'] })
    expect(requests.slice(1)).toEqual([LIST])
    expect(questions).toHaveLength(asked)
    expect(stdout).toContain('No models are added. Later: farebox provider models openai')
    expect(exitCode).toBe(0)
  })

  it('asks nobody who wants JSON, or whose standard input held the secret', async () => {
    const json = await command(`${ADD} --json`, { typed: ['all'] })
    expect(json.questions).toEqual([])
    expect(JSON.parse(json.stdout)).toEqual(ANSWERS.addProvider)
    const piped = await command('provider add --preset openai --secret-stdin', { typed: ['all'], stdin: 'sk-1' })
    expect(piped.questions).toEqual([])
  })

  it('prints what was added as JSON beside the provider', async () => {
    const { stdout } = await command(`${ADD} --enable all --json`)
    expect(JSON.parse(stdout)).toEqual({ ...ANSWERS.addProvider, models: ANSWERS.addProviderModels })
  })

  it('keeps the provider where its models cannot be listed, and says how to go on', async () => {
    const gateway = gatewayWith('GET', LIST.path, refusal(502, 'upstream_error', 'It answers 500.'))
    const { stdout, exitCode } = await command(ADD, { gateway })
    expect(stdout).toContain('is added')
    expect(stdout).toContain('could not be listed. It answers 500. Later: farebox provider models openai')
    expect(exitCode).toBe(0)
  })

  it('says where to get the secret that is missing, and asks the provider nothing', async () => {
    const body = { ...ANSWERS.addProvider, name: "it's", preset: 'openai', has_secret: false }
    const gateway = gatewayWith('POST', '/api/providers', { status: 200, body })
    const { stdout, requests } = await command('provider add --preset openai', { gateway })
    expect(stdout).toContain('OpenAI needs a secret. Get one at https://platform.openai.com/api-keys and set it')
    expect(stdout).toContain(String.raw`farebox provider secret 'it'\''s' --secret-stdin`)
    expect(requests.map(({ path }) => path)).toEqual(['/api/providers', '/api/presets'])
  })

  it('lets a gateway that breaks break the command', async () => {
    const gateway = gatewayWith('GET', LIST.path, { status: 200, body: 'nonsense' })
    expect((await command(ADD, { gateway })).exitCode).toBe(1)
  })
})

describe('provider models', () => {
  it('lists without a terminal, asks on one', async () => {
    const listed = await command('provider models openai')
    expect(listed.requests).toEqual([{ ...LIST, path: '/api/providers/openai/models' }])
    expect(listed.stdout).toContain('gpt-ready')
    const asked = await command('provider models openai', { typed: ['1'] })
    expect(asked.requests[1]).toMatchObject({ method: 'POST', body: { models: ['gpt-ready'] } })
    const declined = await command('provider models openai', { typed: [''] })
    expect(declined.stdout).toContain('No models are added.')
  })

  it.each(['a,,b', ''])('refuses --enable=%s', async (names) => {
    const { exitCode, requests } = await command(`provider models openai --enable=${names}`)
    expect(exitCode).toBe(2)
    expect(requests).toEqual([])
  })

  it('makes names from elsewhere harmless', async () => {
    const nasty = { ...OFFERS[0], model: 'a\u001b[31m', note: 'b\u202e' }
    const gateway = gatewayWith('GET', '/api/providers/openai/models', {
      status: 200,
      body: { provider: 'openai', models: [nasty] },
    })
    const { stdout } = await command('provider models openai', { gateway })
    for (const character of ['\u001b', '\u202e']) expect(stdout).not.toContain(character)
  })
})

describe('provider presets', () => {
  it('lists them with the page for the secret', async () => {
    const { stdout, requests } = await command('provider presets')
    expect(requests).toEqual([{ method: 'GET', path: '/api/presets', body: undefined }])
    expect(stdout).toMatch(/openai +OpenAI +responses .*https:\/\/platform\.openai\.com\/api-keys/)
  })
})

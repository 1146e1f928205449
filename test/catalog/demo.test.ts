import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startFarebox, type Farebox } from '../support/farebox.ts'
import { model, provider, refusal, refused, topup } from './support.ts'

let farebox: Farebox

beforeEach(async () => {
  farebox = await startFarebox()
})

afterEach(async () => {
  await farebox.close()
})

const call: Farebox['admin']['call'] = (action, input) => farebox.admin.call(action, input)

const ALL = [
  { kind: 'provider', name: 'demo' },
  { kind: 'model', name: 'demo-chat' },
  { kind: 'model', name: 'demo-embedding' },
  { kind: 'package', name: 'starter' },
]

describe('the demo', () => {
  it('is refused where another provider has its name, and nothing is made', async () => {
    await call('addProvider', { body: provider('demo') })
    expect(await refusal(call('addDemo', {}))).toEqual(refused.conflict())
    expect(await call('listModels', {})).toEqual([])
    expect(await call('listPackages', {})).toEqual([])
    expect(await call('listKeys', {})).toEqual([])
  })

  it('is made once: with a key that works, and nothing more the second time', async () => {
    const { made, key } = await call('addDemo', {})
    expect(made).toEqual(ALL)
    const response = await fetch(`${farebox.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key?.key}` },
      body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(response.status).toBe(200)
    expect(await call('addDemo', {})).toEqual({ made: [], key: null })
    expect((await call('listKeys', {})).map(({ name }) => name)).toEqual(['first'])
  })

  it('is the same as what a fresh start makes', async () => {
    await farebox.app.setUpDemo()
    expect(await call('addDemo', {})).toEqual({ made: [], key: null })
  })

  it('leaves alone what is there, and makes no key where there are some', async () => {
    await call('addProvider', { body: provider('main') })
    const mine = await call('addModel', { body: model('demo-chat') })
    const starter = await call('addPackage', { body: topup('starter', { credits: 3 }) })
    await call('createKey', { body: { name: 'mine', package: 'starter' } })
    const { made, key } = await call('addDemo', {})
    expect(made).toEqual(ALL.filter(({ name }) => name === 'demo' || name === 'demo-embedding'))
    expect(key).toBeNull()
    expect(await call('listModels', {})).toContainEqual(mine)
    expect(await call('listPackages', {})).toEqual([{ ...starter, keys: 1 }])
  })

  it('serves its models from a demo provider of another name', async () => {
    await call('addProvider', { body: { name: 'playground', dialect: 'demo' } })
    expect((await call('addDemo', {})).made).toEqual(ALL.slice(1))
    const providers = (await call('listModels', {})).flatMap(({ targets }) => targets.map((target) => target.provider))
    expect(providers).toEqual(['playground', 'playground'])
  })
})

import { describe, expect, it } from 'vitest'
import { CARD, fakeGateway } from './fake-gateway.ts'
import { run } from './fake-host.ts'

const COMPARE = { method: 'GET', path: '/api/price-card', body: undefined }
const command = (typed: string, gateway = fakeGateway()) => run(typed.split(' '), { gateway })

describe('model card', () => {
  it('shows each change from the old price to the new, with its source', async () => {
    const { stdout, requests, exitCode } = await command('model card --provider openai')
    expect(requests).toEqual([{ ...COMPARE, path: '/api/price-card?provider=openai' }])
    expect(stdout).toContain('1.25 -> 5')
    expect(stdout).toContain('10 -> 30')
    expect(stdout).toContain('Prompts over 272000 tokens cost more than this.')
    expect(stdout).toContain('https://developers.openai.com/api/docs/pricing (2026-09-30)')
    expect(stdout).toContain('Not on the card: local.')
    expect(exitCode).toBe(0)
  })

  it('marks a jump', async () => {
    const rows = CARD.rows.map((row) => ({ ...row, jump: true }))
    const { stdout } = await command(
      'model card',
      fakeGateway(() => ({ status: 200, body: { ...CARD, rows } })),
    )
    expect(stdout).toContain('changed, a JUMP')
  })

  it('applies what it shows under the version that it shows, and nothing that is the same', async () => {
    const { stdout, requests } = await command('model card --apply all --confirm-jumps')
    const body = { version: 'v-1', ids: ['gpt-5.5'], confirm_jumps: true }
    expect(requests).toEqual([COMPARE, { method: 'POST', path: '/api/price-card', body }])
    expect(stdout).toMatch(/1\.25 -> 5[^]+New prices for: gpt-5\.5\./)
  })

  it('applies what another provider asks only where it is named', async () => {
    const rows = CARD.rows.map((row) => ({ ...row, asked_by: 'OpenAI' }))
    const gateway = () =>
      fakeGateway(({ method }) => ({ status: 200, body: method === 'GET' ? { ...CARD, rows } : { applied: [] } }))
    const all = await command('model card --apply all', gateway())
    expect(all.requests).toEqual([COMPARE])
    expect(all.stdout).toContain('What OpenAI asks for a model of this name')
    const named = await command('model card --apply gpt-5.5', gateway())
    expect(named.requests[1]?.body).toEqual({ version: 'v-1', ids: ['gpt-5.5'] })
  })

  it('applies those that are named', async () => {
    const { requests } = await command('model card --apply same,gpt-5.5')
    expect(requests[1]?.body).toEqual({ version: 'v-1', ids: ['same', 'gpt-5.5'] })
  })

  it('applies nothing that it does not show', async () => {
    const { requests, exitCode, stderr } = await command('model card --apply gpt-5.5,hidden')
    expect(requests).toEqual([COMPARE])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('no price for: hidden')
  })

  it('asks for nothing where nothing is to be changed', async () => {
    const rows = CARD.rows.filter(({ change }) => change === 'same')
    const { requests, stdout } = await command(
      'model card --apply all',
      fakeGateway(() => ({ status: 200, body: { ...CARD, rows } })),
    )
    expect(requests).toEqual([COMPARE])
    expect(stdout).toContain('Nothing is to be changed.')
  })

  it('prints the comparison and what was applied as JSON', async () => {
    expect(JSON.parse((await command('model card --json')).stdout)).toEqual(CARD)
    expect(JSON.parse((await command('model card --apply all --json')).stdout)).toMatchObject({
      version: 'v-1',
      applied: [{ id: 'gpt-5.5' }],
    })
  })
})

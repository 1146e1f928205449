import { describe, expect, it } from 'vitest'
import { receiptText } from '#cli/receipt.ts'
import { RECEIPT } from './fake-gateway.ts'
import { run } from './fake-host.ts'

describe('usage --receipt', () => {
  it('shows the call, its lines and their sum', async () => {
    const ran = await run(['usage', '--receipt', 'u-1'])
    expect(ran).toMatchObject({ exitCode: 0, requests: [{ method: 'GET', path: '/api/usage/u-1' }] })
    const lines = ran.stdout.split('\n').map((line) => line.trimEnd().replaceAll(/ +/g, ' ').trim())
    expect(lines).toEqual(
      expect.arrayContaining([
        'outcome answered (200)',
        'attempts refused (400), complete (200) at openai/gpt',
        'input 10 reported 1.25 0.0000125',
        'output 20 estimated 10 0.0002',
        'rounding - - - 0.0000005',
        'charge 0.000213',
      ]),
    )
  })

  it('says what a provider had against the request', () => {
    const words = 'image input is not supported'
    const attempt = { outcome: 'refused', status: 500, duration_ms: 1, provider: 'local', model: 'llama', words }
    const text = receiptText({ ...RECEIPT, attempts: [attempt] })
    expect(text).toMatch(/attempts +refused \(500\) at local\/llama: image input is not supported\n/)
  })

  it('says what an old record does not know', () => {
    const text = receiptText({ ...RECEIPT, attempts: 'unknown', price: null, lines: [] })
    expect(text).toMatch(/attempts +unknown\n/)
    expect(text).toContain('This request cost nothing.')
  })

  it.each([['--csv'], ['--key', 'laptop'], ['--limit', '5']])('takes no %s beside it', async (...flags) => {
    const ran = await run(['usage', '--receipt', 'u-1', ...flags])
    expect(ran).toMatchObject({ exitCode: 2, requests: [] })
    expect(ran.stderr).toContain('--receipt names one call')
  })
})

import { describe, expect, it } from 'vitest'
import { run } from './fake-host.ts'
import { fakeGateway } from './fake-gateway.ts'

describe('farebox open', () => {
  it('does nothing where no gateway runs', async () => {
    const ran = await run(['open'])
    expect(ran).toMatchObject({ exitCode: 1, requests: [], opened: [], store: [] })
    expect(ran.stdout).toContain('farebox start')
  })

  it('takes no operand, because an address is not for a command line', async () => {
    const ran = await run(['open', 'http://127.0.0.1:3273/#ticket=x'], { gateway: fakeGateway() })
    expect(ran).toMatchObject({ exitCode: 2, opened: [] })
    expect(ran.stderr).not.toContain('ticket=')
  })
})

import { describe, expect, it } from 'vitest'
import { adminClient } from '#cli/client.ts'
import type { Sources } from '#cli/host.ts'
import { WAITING_VERBS } from '#cli/waiting.ts'
import { fakeGateway, WAITING } from './fake-gateway.ts'
import { run } from './fake-host.ts'

/** What the verb prints where a gateway runs. */
async function shown(body: unknown = WAITING): Promise<string> {
  const { transport } = fakeGateway(() => ({ status: 200, body }))
  const [verb] = WAITING_VERBS
  const output = await verb?.prepare([]).run(adminClient(transport), {} as Sources)
  return output?.type === 'view' ? output.text : ''
}

describe('waiting', () => {
  it('says who waits for what and when it goes on, and what runs', async () => {
    expect(await shown()).toBe(
      'SINCE     KEY     MEMBER  MODEL    WAITS FOR                          PLACE  GOES ON   GIVES UP  REQUEST\n' +
        '03:04:05  laptop  ada     gpt-5.5  requests_per_minute of its member      1  03:04:12  03:04:35  u-2\n\n' +
        'KEY  MEMBER  RUNNING  OLDEST SINCE\n' +
        'ci   -             3  2027-01-02 03:04 UTC',
    )
  })

  it('says so where nobody waits and nothing runs, and that more wait than it shows', async () => {
    const none = { waiting: [], waiting_calls: 0, running: [], running_calls: 0 }
    expect(await shown(none)).toBe('No call waits.\n\nNo call runs.')
    expect(await shown({ ...WAITING, waiting_calls: 201 })).toContain('These are 1 of 201.')
  })

  it('prints nothing that a terminal would obey', async () => {
    const [call] = WAITING.waiting
    expect(
      await shown({ ...WAITING, waiting: [{ ...call, reason: 'provider', provider: 'x\u001b[2J' }] }),
    ).not.toContain('\u001b')
  })

  it('says that nothing runs, without opening the store', async () => {
    expect(await run(['waiting'])).toMatchObject({ exitCode: 0, stdout: 'stopped\n', store: [] })
  })
})

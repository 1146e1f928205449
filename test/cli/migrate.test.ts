import { describe, expect, it } from 'vitest'
import type { MigrationOutcome } from '#cli/host.ts'
import { run } from './fake-host.ts'

const URL = 'postgres://farebox@db.example/farebox'
const MOVED: MigrationOutcome = {
  type: 'moved',
  sums: [
    { what: 'keys', here: 12, shared: 12 },
    { what: 'credits left', here: 1.000001, shared: 1.000001 },
  ],
  problems: [],
}

describe('migrate-to', () => {
  it('asks no gateway, and says what is on both sides and what comes next', async () => {
    const ran = await run(['migrate-to', URL, '--data-dir', '/data'], { moved: MOVED })
    expect(ran).toMatchObject({ exitCode: 0, stderr: '', requests: [], store: [] })
    expect(ran.moves).toEqual([{ dataDir: '/data', errand: 'bring', url: URL }])
    expect(ran.stdout).toBe(
      [
        '                  HERE    SHARED',
        'keys                12        12',
        'credits left  1.000001  1.000001',
        '',
        'Everything is shared and agrees. From now on start this gateway, and others with empty folders, with FAREBOX_DATABASE_URL.',
        '',
      ].join('\n'),
    )
  })

  it('takes the address of the shared database from the environment on the way back', async () => {
    const ran = await run(['migrate-to', 'sqlite', '--json', '--data-dir', '/data'], { moved: MOVED })
    expect(ran.moves).toEqual([{ dataDir: '/data', errand: 'take-back', url: undefined }])
    expect(JSON.parse(ran.stdout)).toEqual({ to: 'sqlite', ok: true, sums: MOVED.sums, problems: [] })
  })

  it('ends with a failure where the sides differ, and prints names so that no terminal obeys them', async () => {
    const moved = { ...MOVED, problems: ['of the key a\u001b[2J 1 credits are left here, and 2 are shared'] }
    const ran = await run(['migrate-to', 'sqlite'], { moved })
    expect(ran.exitCode).toBe(1)
    expect(ran.stdout).toContain('still belongs to the shared database:\n- of the key a\ufffd[2J 1 credits')
  })

  it('says why nothing was moved', async () => {
    const message = 'Other gateways share these books: a:/data. Stop them first.'
    const ran = await run(['migrate-to', 'sqlite', '--json'], { moved: { type: 'refused', message } })
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' })
    expect(JSON.parse(ran.stderr)).toEqual({ error: { message, type: 'not_moved' } })
  })

  it.each([[['migrate-to']], [['migrate-to', 'mysql://secret@db/x']], [['migrate-to', 'sqlite', URL]]])(
    'refuses %j before anything is opened, and repeats nothing of it',
    async (argv) => {
      const ran = await run(argv)
      expect(ran).toMatchObject({ exitCode: 2, stdout: '', moves: [], store: [] })
      expect(ran.stderr).not.toContain('secret')
    },
  )
})

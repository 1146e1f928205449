import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RestoreOutcome } from '#cli/host.ts'
import { ANSWERS, fakeGateway, refusal } from './fake-gateway.ts'
import { run } from './fake-host.ts'

describe('backup', () => {
  it('asks the gateway for a copy at an absolute path, wherever the command runs', async () => {
    const ran = await run(['backup', 'monday.db'])
    const body = { file: resolve('monday.db') }
    expect(ran.requests).toEqual([{ method: 'POST', path: '/api/backup', body }])
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' })
    expect(ran.stdout).toContain('open holds     2\n')
    expect(ran.stdout).toContain(
      'Secrets of providers are not in it, and on another machine have to be set again: openai\n',
    )
  })

  it('replaces an older backup only when it is told to', async () => {
    const ran = await run(['backup', '/backups/monday.db', '--force', '--json'])
    expect(ran.requests).toMatchObject([{ body: { file: resolve('/backups/monday.db'), force: true } }])
    expect(JSON.parse(ran.stdout)).toEqual(ANSWERS.backUp)
  })

  it('says why there is none', async () => {
    const gateway = fakeGateway(() => refusal(409, 'invalid_request_error', 'There is a file already.', 'file'))
    expect(await run(['backup', 'monday.db'], { gateway })).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: 'farebox: There is a file already.\n',
    })
  })

  it.each([[['backup']], [['backup', '']], [['backup', 'one.db', 'two.db']], [['backup', 'a\u0007b.db']]])(
    'refuses %j before anything is asked',
    async (argv) => {
      expect(await run(argv)).toMatchObject({ exitCode: 2, stdout: '', requests: [], store: [] })
    },
  )
})

const RESTORED: RestoreOutcome = {
  type: 'restored',
  keptAs: '/data/farebox.before-restore-1.db',
  endsAt: '2027-01-02T03:04:05.000Z',
  schema: 40,
  books: { keys: 3, entries: 9, openHolds: 2, usageRecords: 4 },
  present: { entries: 15, usageRecords: 7 },
  keys: [
    { name: 'leaked', before: 'revoked', after: 'active' },
    { name: 'new\u001b[2J', before: 'active', after: null },
  ],
  withoutSecrets: ['openai'],
}

describe('restore', () => {
  it('never asks a gateway and never opens the store, and says what it means for money and keys', async () => {
    const ran = await run(['restore', 'monday.db', '--data-dir', '/data'], { restored: RESTORED })
    expect(ran).toMatchObject({ exitCode: 0, stderr: '', requests: [], store: [] })
    expect(ran.restores).toEqual([{ dataDir: '/data', file: resolve('monday.db'), isDryRun: false }])
    expect(ran.stdout).toBe(
      [
        'restored       the books up to 2027-01-02 03:04 UTC',
        'kept as        /data/farebox.before-restore-1.db',
        'keys           3',
        'entries        9 (before: 15)',
        'usage records  4 (before: 7)',
        'open holds     2, released by the next start',
        '',
        'Keys in another state than before, also those that had been revoked since the backup:',
        'KEY      BEFORE   NOW',
        'leaked   revoked  active',
        'new\ufffd[2J  active   unknown',
        '',
        'Secrets that are not on this machine, set them with farebox provider secret NAME: openai',
        '',
      ].join('\n'),
    )
  })

  it('only says what would change in a dry run', async () => {
    const restored = { ...RESTORED, keptAs: null, endsAt: null, present: null, keys: [], withoutSecrets: [] }
    const ran = await run(['restore', 'monday.db', '--dry-run'], { restored })
    expect(ran.restores).toMatchObject([{ isDryRun: true }])
    expect(ran.stdout).toContain('would restore  the books up to their beginning\nkept as        -\n')
    expect(ran.stdout).not.toContain('Keys in another state')
  })

  it('says that nothing could be compared with a database that nobody can read', async () => {
    const ran = await run(['restore', 'monday.db'], { restored: { ...RESTORED, present: null, keys: [] } })
    expect(ran.stdout).toContain('could not be read, so nothing was compared with it.\n')
  })

  it('prints all of it as one value', async () => {
    const ran = await run(['restore', 'monday.db', '--json'], { restored: RESTORED })
    expect(JSON.parse(ran.stdout)).toEqual({
      dry_run: false,
      kept_as: '/data/farebox.before-restore-1.db',
      books_end_at: '2027-01-02T03:04:05.000Z',
      schema: 40,
      keys: 3,
      entries: 9,
      open_holds: 2,
      usage_records: 4,
      before: { entries: 15, usage_records: 7 },
      changed_keys: RESTORED.keys,
      without_secrets: ['openai'],
    })
  })

  it('shows people the first keys of very many', async () => {
    const keys = Array.from({ length: 60 }, (_, index) => ({
      name: `k${index}`,
      before: null,
      after: 'active' as const,
    }))
    const ran = await run(['restore', 'monday.db'], { restored: { ...RESTORED, keys } })
    expect(ran.stdout).toContain('k49')
    expect(ran.stdout).not.toContain('k50')
    expect(ran.stdout).toContain('\nand 10 more, see --json\n')
  })

  it('says why it did nothing', async () => {
    const message = 'Another Farebox is using this data folder.'
    const ran = await run(['restore', 'monday.db', '--json'], { restored: { type: 'refused', message } })
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' })
    expect(JSON.parse(ran.stderr)).toEqual({ error: { message, type: 'not_restored' } })
  })

  it.each([[['restore']], [['restore', 'one.db', 'two.db']], [['restore', 'one.db', '--force']]])(
    'refuses %j before anything is touched',
    async (argv) => {
      expect(await run(argv)).toMatchObject({ exitCode: 2, stdout: '', restores: [], store: [] })
    },
  )
})

describe('a backup with a passphrase', () => {
  const PASSPHRASE = 'correct horse battery staple'

  it('has the secrets written beside it', async () => {
    const ran = await run(['backup', 'monday.db', '--passphrase-stdin', '--force'], { stdin: `${PASSPHRASE}\n` })
    const file = resolve('monday.db')
    expect(ran.requests).toEqual([
      { method: 'POST', path: '/api/backup', body: { file, force: true } },
      {
        method: 'POST',
        path: '/api/secrets/export',
        body: { file: `${file}.secrets`, passphrase: PASSPHRASE, force: true },
      },
    ])
    expect(ran.stdout).toContain('Secrets of 1 providers, encrypted: /backups/monday.db.secrets')
    expect(ran.stdout).toContain('Secrets that cannot be found: gone')
    expect(ran.stdout).not.toContain('horse')
  })

  it.each([
    ['that is too short', ['--passphrase-stdin'], 'too short'],
    ['in two places', ['--passphrase-stdin', '--passphrase-env', 'PASSPHRASE'], PASSPHRASE],
  ])('%s is refused before anything is copied', async (_, flags, stdin) => {
    const ran = await run(['backup', 'monday.db', ...flags], { stdin })
    expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] })
  })
})

describe('secret import', () => {
  it('says which providers got their secret, and which did not', async () => {
    const ran = await run(['secret', 'import', 'a.secrets', '--passphrase-stdin'], { stdin: 'correct horse battery' })
    const body = { file: resolve('a.secrets'), passphrase: 'correct horse battery' }
    expect(ran.requests).toEqual([{ method: 'POST', path: '/api/secrets/import', body }])
    expect(ran.stdout).toBe('Imported: openai. No provider here has this name and address: elsewhere.\n')
  })

  it.each([[[]], [['a.secrets']], [['a.secrets', 'b', '--passphrase-stdin']]])('refuses %j', async (rest) => {
    const ran = await run(['secret', 'import', ...rest], { stdin: 'correct horse battery' })
    expect(ran).toMatchObject({ exitCode: 2, requests: [] })
  })
})

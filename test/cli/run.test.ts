import { describe, expect, it } from 'vitest'
import { ANSWERS, fakeGateway, refusal } from './fake-gateway.ts'
import { run } from './fake-host.ts'

const NOTHING_DONE = { stdout: '', requests: [], store: [] }

describe('a wrong command line', () => {
  const cases: readonly (readonly [typed: string, sentence: string, usage: string])[] = [
    ['kye list', 'There is no such verb.', 'farebox key list'],
    ['key craete laptop', "'key' has no such verb.", 'farebox key create NAME'],
    ['key', "'key' has no such verb.", 'farebox help key'],
    ['frobnicate', 'There is no such verb.', 'farebox help'],
    ['stauts', 'There is no such verb.', 'farebox status'],
    ['ledger verfy', "'ledger' has no such verb.", 'farebox ledger verify'],
    ['--json', 'No verb is given.', 'farebox help'],
    ['key list --colour', 'There is no flag --colour here.', 'farebox key list'],
    ['key list -x', 'There is no flag -x here.', 'farebox key list'],
    ['key list --__proto__', 'There is no flag --__proto__ here.', 'farebox key list'],
    ['key list --json=yes', '--json takes no value.', 'farebox key list'],
    ['key list laptop', "'key list' takes nothing but flags.", 'farebox key list'],
    ['key show', "'key show' needs a NAME.", 'farebox key show NAME'],
    ['key show a b', "'key show' takes one NAME, and flags.", 'farebox key show NAME'],
    ['key create laptop', '--package is required.', 'farebox key create NAME --package P'],
    ['key create laptop --package', '--package needs a value.', 'farebox key create'],
    ['key create laptop --package --owner a', '--package needs a value.', 'farebox key create'],
    ['key create laptop --package=', '--package needs a value.', 'farebox key create'],
    ['key create laptop --package a --package b', '--package is given twice.', 'farebox key create'],
    ['key extend laptop', '--expires is required.', 'farebox key extend NAME --expires'],
    ['key top-up laptop', '--credits is required.', 'farebox key top-up NAME --credits N'],
    ['key adjust laptop --credits -5', '--reason is required.', 'farebox key adjust NAME --credits N --reason R'],
    ['key move laptop', '--package is required.', 'farebox key move NAME --package P'],
    ['key top-up laptop --credits five', '--credits takes a number.', 'farebox key top-up'],
    ['key top-up laptop --credits 0x10', '--credits takes a number.', 'farebox key top-up'],
    ['key top-up laptop --credits -5', '--credits must be > 0.', 'farebox key top-up'],
    ['package add try', '--type is required.', 'farebox package add NAME --type'],
    ['package add try --type weekly', '--type must be one of monthly, daily', 'farebox package add'],
    ['package add try --type topup --tokens-per-minute 1.5', '--tokens-per-minute must be integer.', 'farebox package'],
    ['package add try --type topup --models a,,b', '--models takes all, or names with commas', 'farebox package add'],
    ['bills check a.csv', 'Say whose report it is with --provider NAME.', 'farebox bills check'],
    ['bills settle a.csv', 'Say whose report it is with --provider NAME.', 'farebox bills settle'],
    ['package edit try --tokens-per-minute 0', '--tokens-per-minute must be >= 1.', 'farebox package edit'],
    ['model add gpt --target a/b', '--context-window is required.', 'farebox model add ID'],
    ['model add gpt --context-window 1', '--target is required.', 'farebox model add ID'],
    ['model add gpt --context-window 1 --target gpt', '--target takes PROVIDER/UPSTREAM_MODEL.', 'farebox model add'],
    ['model add gpt --context-window 1 --target /gpt', '--target takes PROVIDER/UPSTREAM_MODEL.', 'farebox model add'],
    ['model add gpt --context-window 1 --target a/b --input 1', '--output is required.', 'farebox model add'],
    ['model price gpt --output 1', '--input is required.', 'farebox model price ID --input P [--output P]'],
    ['model price gpt --input 1 --output 1 --unit image', '--unit takes NAME=NUMBER.', 'farebox model price ID'],
    ['model price gpt --input 1 --output 1 --tier flex=', '--tier takes NAME=NUMBER.', 'farebox model price ID'],
    ['model price gpt --input 1 --output 1 --step 5', '--step takes NAME=NUMBER.', 'farebox model price ID'],
    ['provider add', 'NAME or --preset is required.', 'farebox provider add [NAME] --preset P'],
    ['provider secret openai', 'Say where the secret is.', 'farebox provider secret NAME --secret-env VAR'],
    [
      'provider secret openai --secret-env A --secret-stdin',
      'Give only one of --secret-env',
      'farebox provider secret',
    ],
    ['usage --limit 0', '--limit takes a whole number from 1 to 99999.', 'farebox usage'],
    ['usage --limit 1.5', '--limit takes a whole number', 'farebox usage'],
    ['usage --limit 100000', '--limit takes a whole number', 'farebox usage'],
    ['usage --csv --json', '--csv and --json exclude each other.', 'farebox usage'],
    ['apply', 'Say which file with -f FILE.', 'farebox apply -f FILE'],
    ['apply -f', '-f needs a value.', 'farebox apply -f FILE'],
  ]

  it.each(cases)('%s: is explained with the nearest usage, and touches nothing', async (typed, sentence, usage) => {
    const ran = await run(typed.split(' '))
    if (!typed.endsWith('--json')) expect(ran.stderr).toContain(`farebox: ${sentence}`)
    expect(ran.stderr).toContain(sentence)
    expect(ran.stderr).toContain(usage)
    expect(ran).toMatchObject({ exitCode: 2, ...NOTHING_DONE })
  })

  it.each([
    ['keys', ['key list']],
    ['kye lst', ['key list']],
    ['ledger verfy', ['ledger verify']],
    ['stauts', ['status']],
    ['frobnicate', []],
    ['key', []],
  ])('%s: is answered with verbs that may be meant', async (typed, expected) => {
    const { stderr, exitCode } = await run(typed.split(' '))
    const [, advice = ''] = /Did you mean (.*)\?/.exec(stderr) ?? []
    const named = Array.from(advice.matchAll(/'([^']+)'/g), ([, name]) => name)
    expect(exitCode).toBe(2)
    expect(named.slice(0, 1)).toEqual(expected)
    expect(named.length).toBeLessThanOrEqual(3)
  })

  it('is one line of JSON with --json', async () => {
    const ran = await run(['key', 'create', 'laptop', '--json'])
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^[^\n]+\n$/)
    expect(JSON.parse(ran.stderr)).toEqual({
      error: {
        message: '--package is required.',
        type: 'usage_error',
        usage:
          'farebox key create NAME --package P [--owner M] [--expires 90d|never|DATE] [--project P] [--tags A,B] [--tool T]',
      },
    })
  })

  it('refuses an empty name, which would reach another route', async () => {
    expect(await run(['key', 'show', ''])).toMatchObject({ exitCode: 2, ...NOTHING_DONE })
  })
})

describe('a secret', () => {
  const SECRET = 'sk-live-1234'
  const typed: readonly (readonly string[])[] = [
    ['provider', 'add', 'openai', '--dialect', 'chat-completions', '--secret', SECRET],
    ['provider', 'secret', 'openai', `--secret=${SECRET}`],
    ['provider', 'secret', 'openai', SECRET],
    ['provider', 'secret', 'openai', '--secret-env', SECRET],
    ['provider', 'secret', 'openai', `--secret-stdin=${SECRET}`],
    ['provider', SECRET],
    [SECRET],
    ['key', 'list', '--since', SECRET],
    ['key', 'top-up', 'laptop', '--credits', SECRET],
    ['provider', 'add', 'openai', '--dialect', SECRET],
  ]

  it.each(typed)('is not repeated when it stands where it does not belong: %s %s %s %s', async (...words) => {
    for (const argv of [words, [...words, '--json']]) {
      const ran = await run(argv)
      expect(ran.exitCode).not.toBe(0)
      expect(ran.stdout + ran.stderr).not.toContain(SECRET)
      expect(ran.requests).toEqual([])
    }
  })

  it('is refused as an argument with the ways that there are', async () => {
    const ran = await run(['provider', 'add', 'openai', '--secret', SECRET])
    expect(ran.exitCode).toBe(2)
    expect(ran.stderr).toContain('A secret is never an argument')
    expect(ran.stderr).toContain('--secret-env VAR, --secret-file PATH or --secret-stdin')
  })

  it.each([
    ['--secret-env OPENAI_API_KEY', 'The environment variable OPENAI_API_KEY is not set.'],
    ['--secret-file key.txt', 'The file key.txt cannot be read (ENOENT).'],
    ['--secret-stdin', 'Standard input is empty.'],
  ])('that is missing is a failure: %s', async (flags, sentence) => {
    const ran = await run(['provider', 'secret', 'openai', ...flags.split(' ')])
    expect(ran).toMatchObject({ exitCode: 1, stderr: `farebox: ${sentence}\n`, ...NOTHING_DONE })
  })

  it('that is too long is refused without being shown', async () => {
    const ran = await run(['provider', 'secret', 'openai', '--secret-stdin'], { stdin: SECRET.repeat(1_000) })
    expect(ran).toMatchObject({ exitCode: 2, ...NOTHING_DONE })
    expect(ran.stderr).toContain('The secret must not have more than 10000 characters.')
    expect(ran.stderr).not.toContain(SECRET)
  })
})

describe('a refusal of the gateway', () => {
  const gateway = () => fakeGateway(() => refusal(404, 'not_found_error', "There is no key 'a\u001b[2J'."))

  it('is its own sentence on stderr and exit code 1', async () => {
    const ran = await run(['key', 'show', 'a'], { gateway: gateway() })
    expect(ran).toMatchObject({ exitCode: 1, stdout: '', stderr: "farebox: There is no key 'a\ufffd[2J'.\n" })
  })

  it('is one line of JSON on stderr with --json', async () => {
    const ran = await run(['--json', 'key', 'show', 'a'], { gateway: gateway() })
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' })
    expect(JSON.parse(ran.stderr)).toEqual({
      error: { message: "There is no key 'a\u001b[2J'.", type: 'not_found_error', code: 404 },
    })
  })

  it('without an explanation names its status', async () => {
    const ran = await run(['key', 'list'], { gateway: fakeGateway(() => ({ status: 500, body: undefined })) })
    expect(ran).toMatchObject({ exitCode: 1, stderr: 'farebox: The gateway answered with status 500.\n' })
  })

  it('is a failure too when its answer is not one of the contract', async () => {
    const body = { ...ANSWERS.showKey, balance: null }
    const ran = await run(['key', 'show', 'a'], { gateway: fakeGateway(() => ({ status: 200, body })) })
    expect(ran.exitCode).toBe(1)
    expect(ran.stderr).toContain("'balance' must be object.")
  })
})

describe('the store', () => {
  it('is opened when no gateway runs, on the chosen folder, and closed again', async () => {
    const ran = await run(['key', 'list', '--data-dir', '/nonexistent/other'])
    expect(ran.store).toEqual(['open /nonexistent/other', 'close'])
  })

  it('is closed after a refusal', async () => {
    const gateway = fakeGateway(() => refusal(409, 'invalid_request_error', 'No.'))
    expect(await run(['key', 'list'], { gateway })).toMatchObject({ exitCode: 1, store: [expect.anything(), 'close'] })
  })

  it('is closed after a fault', async () => {
    const gateway = fakeGateway(() => {
      throw new TypeError('a bug')
    })
    const ran = await run(['key', 'list', '--json'], { gateway })
    expect(ran).toMatchObject({ exitCode: 1, store: [expect.anything(), 'close'] })
    expect(JSON.parse(ran.stderr)).toEqual({ error: { message: 'a bug', type: 'internal_error' } })
  })

  it('that cannot be opened is a failure with the reason', async () => {
    const ran = await run(['key', 'list'], { openFails: 'Process 12 uses this data folder.' })
    expect(ran).toMatchObject({ exitCode: 1, stderr: 'farebox: Process 12 uses this data folder.\n', requests: [] })
    expect(ran.store).toHaveLength(1)
  })

  it('is opened once for a command of several requests', async () => {
    const ran = await run(['package', 'edit', 'team', '--requests-per-minute', '5'])
    expect(ran.requests).toHaveLength(2)
    expect(ran.store).toHaveLength(2)
  })
})

describe('status', () => {
  it('says that nothing runs, without opening the store', async () => {
    expect(await run(['status'])).toMatchObject({ exitCode: 0, stdout: 'stopped\n', store: [] })
    expect(await run(['status', '--json'])).toMatchObject({ exitCode: 0, stdout: '{"state":"stopped"}\n', store: [] })
  })
})

describe('help', () => {
  it.each([[[]], [['help']], [['--help']], [['-h']], [['--json', 'help']]])('lists every verb: %s', async (argv) => {
    const ran = await run(argv)
    expect(ran).toMatchObject({ exitCode: 0, stderr: '', store: [] })
    for (const line of [/^ {2}start +starts the gateway$/m, /^ {2}status +\S/m, /^ {2}apply +\S/m]) {
      expect(ran.stdout).toMatch(line)
    }
    for (const [topic, verb] of [
      ['provider', 'add'],
      ['key', 'top-up'],
      ['ledger', 'verify'],
    ]) {
      expect(ran.stdout).toMatch(new RegExp(`^ {2}${topic} .*\\b${verb}\\b`, 'm'))
    }
    expect(ran.stdout.split('\n').length).toBeLessThan(60)
  })

  it.each([[['key', '--help']], [['help', 'key']]])('of a group lists only its verbs: %s', async (argv) => {
    const { stdout } = await run(argv)
    expect(stdout).toContain('farebox key revoke NAME')
    expect(stdout).not.toContain('farebox model')
  })

  it('of a verb without others below it lists only that', async () => {
    const { stdout } = await run(['help', 'why'])
    expect(stdout).toContain('farebox why ')
    expect(stdout).not.toContain('farebox key')
    expect(stdout).not.toMatch(/^ {2}status /m)
  })

  it('of a verb shows its usage instead of running it', async () => {
    const ran = await run(['key', 'revoke', '--help'])
    expect(ran).toMatchObject({ exitCode: 0, requests: [] })
    expect(ran.stdout).toContain('Usage: farebox key revoke NAME')
  })
})

it('takes --data-dir and --json before the verb', async () => {
  const ran = await run(['--data-dir', '/nonexistent/other', '--json', 'key', 'list'])
  expect(ran).toMatchObject({ exitCode: 0, store: ['open /nonexistent/other', 'close'] })
  expect(JSON.parse(ran.stdout)).toEqual(ANSWERS.listKeys)
})

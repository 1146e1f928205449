// Every problem that the doctor knows is made to happen on a machine on which nothing else is wrong, and is found by its name, alone.

import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { StatusView } from '#contract/status.ts'
import { PROBLEM_IDS, repair } from '#doctor/doctor.ts'
import { uncoveredProxies } from '#doctor/proxies.ts'
import { isInRange } from '#doctor/versions.ts'
import { closeWorkshops, LARGE, packageView, SMALL } from '../connect/workshop.ts'
import { Patient } from './patient.ts'

afterEach(closeWorkshops)

type Journal = { state: string; told: Record<string, string> }

function editJournal(patient: Patient, tool: string, edit: (journal: Journal) => void): void {
  const path = patient.connection(tool, 'journal.json')
  const journal = JSON.parse(readFileSync(path, 'utf8')) as Journal
  edit(journal)
  writeFileSync(path, JSON.stringify(journal))
}

function target(state: StatusView['targets'][number]['state'], status: number): StatusView['targets'][number] {
  return {
    provider: 'openai',
    model: 'gpt-5.5',
    state,
    failures: 3,
    left_out_until: null,
    last_failure: { reason: 'refused', status, at: '2027-01-02T03:04:05.000Z' },
    ignored_cap: null,
  }
}

type Case = {
  /** What is found besides, which cannot be otherwise. */
  readonly besides?: readonly string[]
  readonly make: (patient: Patient) => void | Promise<void>
  /** What the sentences name. */
  readonly names?: RegExp
}

const CASES: Readonly<Record<string, Case>> = {
  gateway_stopped: { make: (patient) => void (patient.changes = { isRunning: false }) },
  port_taken: {
    besides: ['gateway_stopped'],
    make: (patient) => {
      patient.changes = { isRunning: false }
      patient.machine({ portOwner: "'nginx' (process 7)" })
    },
    names: /nginx/,
  },
  not_opened: {
    make: (patient) => void (patient.changes = { gateway: undefined, notOpened: 'The folder is in use.' }),
    names: /in use/,
  },
  native_module: { make: (patient) => patient.machine({ nativeModuleProblem: 'ERR_DLOPEN_FAILED' }), names: /DLOPEN/ },
  data_folder: { make: (patient) => patient.machine({ dataFolderProblem: 'Others may write to it.' }) },
  disk_full: { make: (patient) => patient.machine({ freeBytes: 5 * 1_048_576 }), names: /5 MiB/ },
  clock: {
    make: async (patient) =>
      void (patient.changes = { gateway: await patient.gateway({ newestAt: '2027-01-02T04:00:00.000Z' }) }),
    names: /04:00/,
  },
  ledger: { make: (patient) => patient.status({ ledger: 'mismatch' }) },
  paused: { make: (patient) => patient.status({ paused_until: '2027-01-02T05:00:00.000Z' }) },
  open_files: {
    make: (patient) => patient.status({ open_files: { limit: 1024, connections: 308, calls: 384 } }),
    names: /1024 open files.*308.*384/,
  },
  lan: {
    make: (patient) =>
      patient.status({
        lan: { state: 'failed', urls: [], problem: 'The port is taken.', certificate_expires_at: null },
      }),
    names: /The port is taken/,
  },
  lan_certificate: {
    make: (patient) =>
      patient.status({
        lan: { state: 'on', urls: [], problem: null, certificate_expires_at: '2027-01-01T00:00:00.000Z' },
      }),
  },
  proxy: { make: (patient) => void (patient.env['http_proxy'] = 'http://user:pass@proxy:8080'), names: /http_proxy/ },
  secrets: { make: (patient) => patient.status({ attention: ["The secret of provider 'openai' is locked."] }) },
  cycle_ahead: {
    make: (patient) => {
      const balance = patient.workshop.gateway.made[0]?.balance
      if (balance !== undefined)
        patient.key('claude-code', { balance: { ...balance, cycle_started_at: '2028-02-01T00:00:00.000Z' } })
    },
    names: /2028-02-01/,
  },
  no_model: {
    make: async (patient) => {
      for (const tool of ['claude-code', 'gemini-cli'])
        editJournal(patient, tool, (journal) => void delete (journal as Partial<Journal>).told)
      patient.changes = { gateway: await patient.gateway({ models: [{ ...LARGE, price: null }] }) }
    },
    names: /gpt-5\.5/,
  },
  provider_refused: { make: (patient) => patient.status({ targets: [target('refused', 401)] }), names: /openai.*401/ },
  provider_failing: { make: (patient) => patient.status({ targets: [target('open', 503)] }), names: /openai.*503/ },
  not_installed: {
    make: (patient) => void (patient.changes = { tool: 'claude-code' }),
    names: /claude/,
  },
  not_connected: {
    make: (patient) => {
      patient.install('codex', '0.140.0')
      patient.changes = { tool: 'codex' }
    },
    names: /codex/,
  },
  journal: {
    make: (patient) => patient.write(patient.connection('claude-code', 'journal.json'), '{"tool": "claude-code", '),
    names: /journal\.json/,
  },
  half_done: {
    make: (patient) => editJournal(patient, 'gemini-cli', (journal) => void (journal.state = 'connecting')),
  },
  file: { make: (patient) => rmSync(patient.path('.claude', 'settings.json')), names: /settings\.json/ },
  member_changed: {
    make: (patient) => {
      const path = patient.path('.gemini', '.env')
      writeFileSync(path, readFileSync(path, 'utf8').replace(LARGE.id, 'another-model'))
    },
    names: /GEMINI_MODEL in .*\.env/,
  },
  wrong_address: {
    besides: ['wrong_address'],
    make: async (patient) => void (patient.changes = { gateway: await patient.gateway({ url: 'http://127.0.0.1:9' }) }),
    names: /127\.0\.0\.1:9\b/,
  },
  overridden: {
    make: (patient) => patient.write(patient.path('.zshrc'), '# mine\nexport ANTHROPIC_API_KEY="sk-other"\n'),
    names: /ANTHROPIC_API_KEY, which .*\.zshrc sets in line 2,/,
  },
  certificate: {
    make: async (patient) => {
      const url = 'https://192.168.1.5:3273'
      editJournal(patient, 'claude-code', ({ told }) => void (told['url'] = url))
      await patient.status({ lan: { state: 'on', urls: [url], problem: null, certificate_expires_at: null } })
    },
    names: /192\.168\.1\.5/,
  },
  version: { make: (patient) => patient.install('claude', '3.0.1'), names: /3\.0\.1/ },
  key_missing: { make: (patient) => void patient.workshop.gateway.made.shift() },
  key_revoked: { make: (patient) => patient.key('claude-code', { status: 'revoked' }) },
  key_suspended: { make: (patient) => patient.key('claude-code', { status: 'suspended' }) },
  key_expired: { make: (patient) => patient.key('claude-code', { status: 'expired' }) },
  key_spent: {
    make: (patient) => {
      const balance = patient.workshop.gateway.made[0]?.balance
      if (balance !== undefined) patient.key('claude-code', { balance: { ...balance, remaining_credits: 0 } })
    },
  },
  key_other_value: { make: (patient) => patient.key('claude-code', { hint: 'abc' }) },
  key_not_brought: {
    make: (patient) => patient.write(patient.connection('gemini-cli', 'key'), 'fbx_a-later-valueZq8'),
    names: /Gemini/,
  },
  package_ended: {
    besides: ['package_ended'],
    make: async (patient) => {
      const ended = { ...packageView('team'), valid_until: '2027-01-01T00:00:00.000Z' }
      patient.changes = { gateway: await patient.gateway({ packages: [ended] }) }
    },
    names: /team/,
  },
  model_missing: {
    besides: ['model_missing'],
    make: async (patient) =>
      void (patient.changes = { gateway: await patient.gateway({ models: [{ ...LARGE, enabled: false }, SMALL] }) }),
    names: /gpt-5\.5.*disabled/,
  },
  model_not_allowed: {
    besides: ['model_not_allowed'],
    make: async (patient) =>
      void (patient.changes = { gateway: await patient.gateway({ packages: [packageView('team', [SMALL.id])] }) }),
    names: /gpt-5\.5/,
  },
}

describe('a machine on which nothing is wrong', () => {
  it('has no problem', async () => {
    const patient = await Patient.connected()
    expect(await patient.examine()).toEqual([])
  })
})

describe('each problem', () => {
  it('is in the table, in the documentation, and has a case here', () => {
    expect(Object.keys(CASES)).toEqual(PROBLEM_IDS)
    const docs = readFileSync(join(import.meta.dirname, '../../docs/connect.md'), 'utf8')
    const table = docs.slice(docs.indexOf('## When a tool does not work'), docs.indexOf('## What tools have used'))
    const documented = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, id]) => id)
    expect(documented).toEqual(PROBLEM_IDS)
  })

  it.each(Object.entries(CASES))('is found by its name: %s', async (id, { besides = [], make, names = /./ }) => {
    const patient = await Patient.connected()
    await make(patient)
    const problems = await patient.examine()
    expect(problems.map((problem) => problem.id).toSorted()).toEqual([...besides, id].toSorted())
    const found = problems.find((problem) => problem.id === id)
    expect(`${found?.message} ${found?.fix}`).toMatch(names)
    expect(JSON.stringify(problems)).not.toMatch(/fbx_|sk-other|user:pass/)
  })
})

describe('a file that was written', () => {
  it('is a problem where the tool cannot read it either, and the others are looked at nevertheless', async () => {
    const patient = await Patient.connected()
    writeFileSync(patient.path('.claude', 'settings.json'), '{ no json')
    rmSync(patient.path('.gemini', '.env'))
    mkdirSync(patient.path('.gemini', '.env'))
    const problems = await patient.examine()
    expect(problems.map(({ id, tool }) => `${id} ${tool}`)).toEqual([
      'file claude-code',
      'file gemini-cli',
      'key_not_brought gemini-cli',
    ])
    expect(problems[1]?.message).toContain('.env is not a file')
  })

  it('is none where it only cannot be written, or was made anew with the same in it', async () => {
    const patient = await Patient.connected()
    const settings = patient.path('.claude', 'settings.json')
    const says = JSON.parse(readFileSync(settings, 'utf8')) as object
    writeFileSync(settings, JSON.stringify({ theme: 'dark', ...says }))
    chmodSync(settings, 0o444)
    expect(await patient.examine()).toEqual([])
  })
})

describe('a repair', () => {
  it('takes back a connection that was interrupted, and its key rests', async () => {
    const patient = await Patient.connected()
    const env = patient.path('.gemini', '.env')
    editJournal(patient, 'gemini-cli', (journal) => void (journal.state = 'connecting'))
    const done = await repair(await patient.examine(), patient.workshop)
    expect(done).toEqual([expect.stringContaining('Took back')])
    expect(() => readFileSync(env)).toThrow('ENOENT')
    expect(patient.workshop.gateway.asked).toContain('suspend k-2')
    expect(await patient.examine()).toEqual([])
  })

  it('takes back one that was interrupted before anything of it was written', async () => {
    const patient = await Patient.connected()
    editJournal(patient, 'gemini-cli', (journal) => void (journal.state = 'connecting'))
    for (const file of ['.env', 'settings.json']) rmSync(patient.path('.gemini', file))
    expect((await patient.examine()).map(({ id }) => id)).toEqual(['half_done'])
    await repair(await patient.examine(), patient.workshop)
    expect(await patient.examine()).toEqual([])
  })

  it('writes the present address, and what was there before still comes back', async () => {
    const patient = await Patient.connected()
    const settings = patient.path('.claude', 'settings.json')
    const before = readFileSync(settings, 'utf8')
    patient.changes = { gateway: await patient.gateway({ url: 'http://127.0.0.1:9' }) }
    expect(await repair(await patient.examine(), patient.workshop)).toHaveLength(2)
    expect(readFileSync(settings, 'utf8')).toBe(before.replaceAll('http://127.0.0.1:3273', 'http://127.0.0.1:9'))
    expect(await patient.examine()).toEqual([])
    // And back again.
    patient.changes = {}
    await repair(await patient.examine(), patient.workshop)
    expect(readFileSync(settings, 'utf8')).toBe(before)
  })

  it('writes over nothing that somebody changed', async () => {
    const patient = await Patient.connected()
    const settings = patient.path('.claude', 'settings.json')
    const mine = readFileSync(settings, 'utf8').replace('http://127.0.0.1:3273', 'https://mine.example')
    writeFileSync(settings, mine)
    patient.changes = { gateway: await patient.gateway({ url: 'http://127.0.0.1:9' }) }
    const problems = await patient.examine()
    expect(problems.map(({ id, tool }) => `${id} ${tool}`)).toEqual([
      'member_changed claude-code',
      'wrong_address claude-code',
      'wrong_address gemini-cli',
    ])
    expect(await repair(problems, patient.workshop)).toHaveLength(1)
    expect(readFileSync(settings, 'utf8')).toBe(mine)
  })

  it('that is refused leaves everything as it was, and says why', async () => {
    const patient = await Patient.connected()
    const settings = patient.path('.gemini', 'settings.json')
    const env = patient.path('.gemini', '.env')
    const before = readFileSync(env, 'utf8')
    patient.changes = { gateway: await patient.gateway({ url: 'http://127.0.0.1:9' }) }
    const problems = (await patient.examine()).filter(({ tool }) => tool === 'gemini-cli')
    chmodSync(settings, 0o400)
    expect(await repair(problems, patient.workshop)).toEqual([expect.stringContaining(settings)])
    expect(readFileSync(env, 'utf8')).toBe(before)
  })
})

describe('what wins over a connection', () => {
  it('is named wherever it is, and never what Farebox itself gave the tool', async () => {
    const patient = await Patient.connected()
    const value = readFileSync(patient.connection('claude-code', 'key'), 'utf8')
    patient.env['ANTHROPIC_AUTH_TOKEN'] = value
    patient.write(patient.path('.bashrc'), `export ANTHROPIC_API_KEY=${value}\n# export ANTHROPIC_API_KEY=x\n`)
    expect(await patient.examine()).toEqual([])
    patient.env['CLAUDE_CODE_USE_BEDROCK'] = '1'
    patient.write(patient.path('.config', 'fish', 'config.fish'), 'set -gx GEMINI_API_KEY other\n')
    patient.write(join(patient.project, '.env'), 'A=1\n')
    patient.write(join(patient.project, '.claude', 'settings.json'), '{"env": {"ANTHROPIC_BASE_URL": "https://x"}}')
    const said = (await patient.examine()).map(({ id, message }) => `${id}: ${message}`)
    expect(said).toEqual([
      expect.stringContaining('CLAUDE_CODE_USE_BEDROCK of this terminal'),
      expect.stringContaining(`env.ANTHROPIC_BASE_URL in ${join(patient.project, '.claude', 'settings.json')}`),
      expect.stringContaining('config.fish sets in line 1'),
      expect.stringContaining(join(patient.project, '.env')),
    ])
  })

  it('is not the very file that was written, also where the project is the home folder', async () => {
    const patient = await Patient.connected()
    patient.changes = { workingDir: patient.workshop.home }
    expect(await patient.examine()).toEqual([])
  })
})

describe('an exception from a proxy', () => {
  it.each([
    ['127.0.0.1', true],
    ['localhost, 127.0.0.1', true],
    ['*', true],
    ['127.0.0.1:3273', true],
    ['127.0.0.1:80', false],
    ['localhost', false],
    ['.0.1', true],
    ['', false],
  ])('%s covers the gateway: %s', (exceptions, isCovered) => {
    const env = { HTTP_PROXY: 'http://proxy', NO_PROXY: exceptions }
    expect(uncoveredProxies('http://127.0.0.1:3273', env).variables).toEqual(isCovered ? [] : ['HTTP_PROXY'])
  })

  it('is not needed for a proxy of another scheme', () => {
    expect(uncoveredProxies('http://127.0.0.1:3273', { HTTPS_PROXY: 'http://proxy' }).variables).toEqual([])
    expect(uncoveredProxies('https://[::1]:3273', { HTTPS_PROXY: 'x', NO_PROXY: '::1' }).variables).toEqual([])
    expect(uncoveredProxies('https://192.168.1.5:1', { all_proxy: 'x' })).toEqual({
      host: '192.168.1.5',
      variables: ['all_proxy'],
    })
  })
})

describe('a version', () => {
  it.each([
    ['2.1.304', '2.1', true],
    ['2.2.0', '2.1', true],
    ['2.0.9', '2.1', false],
    ['3.0.0', '2.1', false],
    ['0.140.0', '0.134 and later', true],
    ['1.0.0', '0.134 and later', true],
    ['0.133.9', '0.134 and later', false],
    ['3.1', '3.0 (command line)', true],
    ['nightly', '2.1', true],
  ])('%s is in the range %s: %s', (version, range, isIn) => {
    expect(isInRange(version, range)).toBe(isIn)
  })
})

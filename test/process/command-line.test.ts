// The whole journey of a user as commands, with a gateway running on the data folder and with none: the same commands must
// have the same results. Every command prints JSON, and is a process of its own but where it asks a gateway: those are in this process unless all tests run.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { runHere } from '../support/commands.ts'
import { endProcesses, farebox, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { isLong } from '../support/cases.ts'

const SECRET = 'sk-command-line'
/** A journey is some fifteen processes, one after the other. */
const LIMIT = { timeout: 60_000 }

let upstream: Upstream

beforeEach(async () => {
  upstream = await startUpstream()
})

afterEach(async () => {
  await endProcesses()
  await upstream.close()
})

type Situation = 'a gateway runs' | 'no gateway runs'

/** Someone who types commands, and whose tools call the gateway. */
class User {
  readonly situation: Situation
  readonly folder: string
  readonly dataDir: string
  #gateway: FareboxProcess | undefined

  constructor(situation: Situation, folder: string) {
    this.situation = situation
    this.folder = folder
    this.dataDir = join(folder, 'data')
  }

  /** The first command, always without a gateway: one that starts on an empty folder would set its demo up. */
  async begin(line: string): Promise<unknown> {
    const value = await this.done(line)
    if (this.situation === 'a gateway runs') this.#gateway = await startProcess({ dataDir: this.dataDir })
    return value
  }

  /** The value of a command that must succeed. The line is split at spaces: no word of these tests has one. */
  async done(line: string): Promise<unknown> {
    const { code, value } = await this.#run(line)
    expect({ line, code, value }).toMatchObject({ code: 0 })
    return value
  }

  /** The exit code and the error of a command that must fail. */
  async failed(line: string) {
    const { code, value } = await this.#run(line)
    const { error } = value as { error?: Readonly<Record<string, unknown>> }
    return { code, error }
  }

  /** The status of a call to the gateway, which is started for it where none runs. */
  async call(key: string): Promise<number> {
    const program = this.#gateway ?? (await startProcess({ dataDir: this.dataDir }))
    const response = await postChat({ url: program.url, key })
    await response.text()
    if (this.#gateway === undefined) await program.stop()
    return response.status
  }

  /** What was done goes to standard output, what went wrong to standard error; never both, always JSON. */
  async #run(line: string) {
    const args = [...line.split(' '), '--json']
    const options = { dataDir: this.dataDir, env: { UPSTREAM_SECRET: SECRET } }
    const isHere = !isLong && this.#gateway !== undefined
    const ran = isHere ? runHere(args, { ...options, homeDir: this.folder }) : farebox(args, options)
    const { code, stdout, stderr } = await ran
    const [printed, silent] = code === 0 ? [stdout, stderr] : [stderr, stdout]
    expect({ situation: this.situation, line, silent }).toMatchObject({ silent: '' })
    return { code, value: JSON.parse(printed) as unknown }
  }
}

type Journey = (user: User) => Promise<void>

function inBothSituations(journey: Journey): Promise<void> {
  return inSituations(['a gateway runs', 'no gateway runs'], journey)
}

/** For verbs that do nothing but call the admin API: how that is reached is up to others. Unless all tests run. */
function withGateway(journey: Journey): Promise<void> {
  return isLong ? inBothSituations(journey) : inSituations(['a gateway runs'], journey)
}

async function inSituations(situations: readonly Situation[], journey: Journey): Promise<void> {
  const users = await Promise.all(situations.map(async (situation) => new User(situation, await temporaryFolder())))
  // Both are waited for whatever happens, so that none goes on when the test is over.
  for (const result of await Promise.allSettled(users.map(journey))) {
    if (result.status === 'rejected') throw result.reason
  }
}

const KEY_FIELDS = { name: 'mine', package: 'try', owner: null }

it('makes a provider, a model, a package and a key, whose calls are metered', LIMIT, () =>
  inBothSituations(async (user) => {
    const provider = `provider add upstream --dialect chat-completions --base-url ${upstream.url}`
    expect(await user.begin(`${provider} --secret-env UPSTREAM_SECRET`)).toMatchObject({ has_secret: true })
    expect(await user.done('provider test upstream')).toMatchObject({ ok: true })
    const model = 'model add chat --context-window 100000 --max-output-tokens 1000 --input 1 --output 2'
    const price = { input: 1, output: 2, version: 1 }
    expect(await user.done(`${model} --target upstream/real-chat`)).toMatchObject({ id: 'chat', enabled: true, price })
    expect(await user.done('package add try --type topup --credits 5 --requests-per-minute 60')).toMatchObject({
      name: 'try',
      credits: 5,
      limits: { requests_per_minute: 60, tokens_per_minute: null },
    })
    const created = (await user.done('key create mine --package try --expires 30d')) as Record<string, string>
    expect(Object.keys(created)).toEqual(['id', 'name', 'key', 'expires_at'])
    const { key = '', id } = created
    expect(await user.call(key)).toBe(200)
    const record = { key: 'mine', model: 'chat', outcome: 'answered', charge_credits: 0.000039 }
    const filter = '--key mine --model chat --since 2020-01-01'
    expect(await user.done(`usage ${filter}`)).toMatchObject({ usage: [record], next: null })
    const balance = { total_credits: 5, used_credits: 0.000039, held_credits: 0, total_requests: 1 }
    expect(await user.done(`key show ${id}`)).toMatchObject({ ...KEY_FIELDS, status: 'active', balance })
    expect(JSON.stringify(await user.done('key list'))).not.toContain(key)
    expect(await user.done('ledger verify')).toMatchObject({ ok: true, keys: 1, open_holds: 0, usage_records: 1 })
    const state = user.situation === 'a gateway runs' ? 'running' : 'stopped'
    expect(await user.done('status')).toMatchObject({ state })
    // The test of the provider sends a request of its own, which is empty.
    const calls = upstream.requests.filter(({ method, text }) => method === 'POST' && text !== '{}')
    for (const { headers, body } of calls) {
      expect([headers.authorization, body['model']]).toEqual([`Bearer ${SECRET}`, 'real-chat'])
    }
  }),
)

it('suspends a key, resumes it, extends it, tops it up once for each id, and revokes it for good', LIMIT, () =>
  withGateway(async (user) => {
    const config = join(user.folder, 'farebox.yaml')
    await writeFile(config, fileOf({ output: 2 }))
    await user.begin(`apply -f ${config}`)
    const { key } = (await user.done('key create mine --package try')) as { key: string }
    expect(await user.done('key suspend mine')).toMatchObject({ ...KEY_FIELDS, status: 'suspended' })
    expect(await user.call(key)).toBe(403)
    expect(await user.done('key resume mine')).toMatchObject({ status: 'active' })
    expect(await user.call(key)).toBe(200)
    expect(await user.done('key extend mine --expires never')).toMatchObject({ status: 'active', expires_at: null })
    const topUp = 'key top-up mine --credits 2.5 --idempotency-id invoice-7'
    expect(await user.done(topUp)).toMatchObject({ balance: { total_credits: 7.5 } })
    expect(await user.done(topUp)).toMatchObject({ balance: { total_credits: 7.5, used_credits: 0.000039 } })
    expect(await user.done('key revoke mine')).toMatchObject({ status: 'revoked' })
    expect(await user.call(key)).toBe(403)
    expect(await user.failed('key resume mine')).toMatchObject({ code: 1, error: { code: 409 } })
    expect(await user.failed('key show nobody')).toMatchObject({ code: 1, error: { type: 'not_found_error' } })
    expect(await user.failed('key create')).toMatchObject({ code: 2, error: { type: 'usage_error' } })
    expect(await user.done('ledger verify')).toMatchObject({ ok: true, open_holds: 0, problems: [] })
  }),
)

it('corrects the credits of a key once for each id, moves it to another package and resets what it used', LIMIT, () =>
  withGateway(async (user) => {
    const config = join(user.folder, 'farebox.yaml')
    await writeFile(config, fileOf({ output: 2 }))
    await user.begin(`apply -f ${config}`)
    const { key } = (await user.done('key create mine --package try')) as { key: string }
    const correction = 'key adjust mine --credits -2 --reason mistake --idempotency-id ticket-3'
    expect(await user.done(correction)).toMatchObject({ balance: { total_credits: 3 } })
    expect(await user.done(correction)).toMatchObject({ balance: { total_credits: 3 } })
    await user.done('package add day --type daily --credits 3')
    expect(await user.done('key move mine --package day')).toMatchObject({
      package: 'day',
      balance: { total_credits: 3, used_credits: 0 },
    })
    expect(await user.call(key)).toBe(200)
    await user.done('package edit day --credits 4 --reset-used')
    expect(await user.done('key show mine')).toMatchObject({ balance: { total_credits: 4, used_credits: 0 } })
  }),
)

it('applies a file: again changes nothing, nor does a dry run or a file with a mistake', LIMIT, () =>
  withGateway(async (user) => {
    const config = join(user.folder, 'farebox.yaml')
    await writeFile(config, fileOf({ output: 2 }))
    const actions = async (line: string) => {
      const { changes } = (await user.done(line)) as { changes: { kind: string; action: string; fields: string[] }[] }
      return changes.map(({ kind, action, fields }) => [kind, action, ...fields].join(' '))
    }
    await user.begin('package add other --type unlimited')
    const created = ['provider create', 'model create', 'package create']
    expect(await actions(`apply -f ${config} --dry-run`)).toEqual(created)
    expect(await user.done('provider list')).toEqual([])
    expect(await actions(`apply -f ${config}`)).toEqual(created)
    const before = await user.done('model list')
    expect(await actions(`apply -f ${config}`)).toEqual(['provider none', 'model none', 'package none'])
    await writeFile(config, fileOf({ output: 3 }))
    const updated = ['provider none', 'model update price', 'package none']
    expect(await actions(`apply -f ${config} --dry-run`)).toEqual(updated)
    await writeFile(config, fileOf({ output: -1 }))
    const mistakes = [{ line: 11, field: 'models.0.price.output' }]
    expect(await user.failed(`apply -f ${config}`)).toMatchObject({ code: 1, error: { file: config, mistakes } })
    expect(await user.done('model list')).toEqual(before)
    await writeFile(config, fileOf({ output: 3 }))
    expect(await actions(`apply -f ${config}`)).toEqual(updated)
    expect(await user.done('model list')).toMatchObject([{ id: 'chat', price: { output: 3, version: 2 } }])
  }),
)

/** A farebox.yaml with the provider, the model and the package of these tests. */
function fileOf({ output }: { output: number }): string {
  return [
    'providers:',
    '  - name: upstream',
    '    dialect: chat-completions',
    `    base_url: ${upstream.url}`,
    '    secret: { env: UPSTREAM_SECRET }',
    'models:',
    '  - id: chat',
    '    kind: chat',
    '    context_window: 100000',
    '    max_output_tokens: 1000',
    `    price: { input: 1, output: ${output} }`,
    '    targets:',
    '      - { provider: upstream, model: real-chat }',
    'packages:',
    '  - { name: try, type: topup, credits: 5 }',
  ].join('\n')
}

it('reads a secret from standard input, and prints CSV for a spreadsheet', LIMIT, async () => {
  const dataDir = join(await temporaryFolder(), 'data')
  const add = ['provider', 'add', 'upstream', '--dialect', 'chat-completions', '--base-url', upstream.url]
  const added = await farebox([...add, '--secret-stdin', '--json'], { dataDir, stdin: `${SECRET}\n` })
  expect(added).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(added.stdout)).toMatchObject({ has_secret: true })
  expect(added.stdout).not.toContain(SECRET)
  const { stdout } = await farebox(['usage', '--csv'], { dataDir })
  expect(stdout).toMatch(/^id,created_at,key,.*duration_ms,secret,tool,project,tags,session\r\n$/)
})

it('says in words what it does where nobody asks for JSON', LIMIT, async () => {
  const dataDir = join(await temporaryFolder(), 'data')
  const outputOf = async (command: string) => {
    const { code, stdout, stderr } = await farebox(command.split(' '), { dataDir })
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' })
    return stdout
  }
  const added = await outputOf('package add try --type topup --credits 5')
  expect(added).toBe('Package try is added: topup, 5 credits.\n')
  expect(await outputOf('key create mine --package try')).toMatch(
    /^Key mine is created, expires .*\. It is shown only this once:\n\n {2}key_[0-9A-Za-z]{38}\n$/,
  )
  expect(await outputOf('key show mine')).toMatch(/^remaining credits +5$/m)
  expect(await outputOf('ledger verify')).toMatch(/^ledger +ok$/m)
})

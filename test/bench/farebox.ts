// Farebox as its users start it: its own process, a config file, a key made with its command line. The key is in a topup
// package with more credit than any run can use, so that every call really holds and settles.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { runToEnd, startChild, type Child } from './child.ts'
import { MODEL, ONE_TARGET, PRICE, THREE_TARGETS } from './payload.ts'
import type { CpuProfile } from './profile.ts'

export type Installation = {
  readonly key: string
  readonly dataFolder: string
  /** Starts it on the folder made before. `settings` are variables of its environment. */
  start(mode: Mode, settings?: Settings, options?: StartOptions): Promise<Child>
  /** Runs a command of the command line on the same folder and gives what it printed; throws when it failed. */
  run(...args: string[]): Promise<string>
  /** One for each thread of each profiled run so far. */
  profiles(): readonly CpuProfile[]
  remove(): void
}

/** A profiled one leaves profiles when it ends; a `collected` one often throws away what it does not need any more. */
export type Mode = 'plain' | 'profiled' | 'collected'

export type StartOptions = { readonly nodeOptions?: readonly string[]; readonly readyLimitMs?: number | undefined }

export type Settings = Readonly<Record<string, string>>

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COLLECTING = ['--expose-gc', '--import', new URL('collect.mjs', import.meta.url).href]
const PACKAGE = 'bench-topup'
const MAX_CREDITS = 1_000_000_000

/**
 * A data folder with one provider, one priced model and a key, for the Farebox of a checkout: this one unless said otherwise. Throws
 * when Farebox does not start or refuses.
 */
export async function install(upstreamUrl: string, root: string = ROOT): Promise<Installation> {
  const empty = emptyFolder(root)
  const { dataFolder } = empty
  try {
    const config = writeConfig(dirname(dataFolder), upstreamUrl)
    const child = await startChild(startCommand(dataFolder, { root, more: ['--config', config] }))
    const key = await createKey(root, dataFolder)
    await child.stop()
    return { ...empty, key }
  } catch (error) {
    empty.remove()
    throw error
  }
}

/** A place for a data folder that no Farebox has made yet. */
export function emptyFolder(root: string = ROOT): Omit<Installation, 'key'> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
  const dataFolder = join(folder, 'data')
  const profileFolder = join(folder, 'profiles')
  return {
    dataFolder,
    start: (mode, settings, { nodeOptions = [], readyLimitMs } = {}) => {
      const options = { plain: [], profiled: profiling(profileFolder), collected: COLLECTING }
      const starting = startCommand(dataFolder, { root, nodeOptions: [...options[mode], ...nodeOptions] })
      return startChild({ ...starting, env: { ...starting.env, ...settings }, readyLimitMs })
    },
    run: (...args) => runVerb(root, dataFolder, args),
    profiles: () => readdirSync(profileFolder).map((name) => readProfile(join(profileFolder, name))),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** What the key has used, in micro-credits. */
export async function usedMicro(url: string, key: string): Promise<number> {
  const answer = await request(`${url}/v1/balance`, { headers: { authorization: `Bearer ${key}` } })
  const balance = (await answer.body.json()) as { used_credits?: unknown }
  if (answer.statusCode !== 200 || typeof balance.used_credits !== 'number') {
    throw new Error(`/v1/balance answered ${answer.statusCode}: ${JSON.stringify(balance)}`)
  }
  return Math.round(balance.used_credits * 1e6)
}

/** Throws when the books do not agree; else tells how many holds are open in them. */
export async function checkBooks(farebox: Pick<Installation, 'run'>): Promise<number> {
  const report = JSON.parse(await farebox.run('ledger', 'verify', '--json')) as { ok?: unknown; open_holds?: unknown }
  if (report.ok !== true || typeof report.open_holds !== 'number') {
    throw new Error(`the books do not agree: ${JSON.stringify(report)}`)
  }
  return report.open_holds
}

async function createKey(root: string, dataFolder: string): Promise<string> {
  const output = await runVerb(root, dataFolder, ['key', 'create', 'bench', '--package', PACKAGE, '--json'])
  const { key } = JSON.parse(output) as { key?: unknown }
  if (typeof key !== 'string') throw new Error(`key create printed no key: ${output}`)
  return key
}

function runVerb(root: string, dataFolder: string, verb: readonly string[]): Promise<string> {
  return runToEnd({ args: [...command(root), ...verb, '--data-dir', dataFolder], cwd: root, env: environment() })
}

type Starting = { readonly root: string; readonly more?: readonly string[]; readonly nodeOptions?: readonly string[] }

function startCommand(dataFolder: string, { root, more = [], nodeOptions = [] }: Starting) {
  const start = ['start', '--headless', '--json', '--port', '0', '--data-dir', dataFolder]
  return { args: [...nodeOptions, ...command(root), ...start, ...more], cwd: root, env: environment() }
}

/** What `npm run farebox` has Node run, with its options, so that what is measured is what its users run. */
function command(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { farebox: string } }
  return scripts.farebox.split(' ').slice(1)
}

function profiling(folder: string): string[] {
  return ['--cpu-prof', '--cpu-prof-dir', folder]
}

/** Nothing that the caller's own Farebox is configured with may leak into the measurement. */
function environment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(FAREBOX_|RATE_LIMIT_WAIT$)/.test(name))
  return { ...Object.fromEntries(inherited), FAREBOX_SECRETS: 'vault' }
}

/** JSON is YAML, so the config needs no writer of its own. */
function writeConfig(folder: string, upstreamUrl: string): string {
  const secretFile = join(folder, 'secret.txt')
  writeFileSync(secretFile, 'sk-bench-upstream', { mode: 0o600 })
  const provider = 'bench-upstream'
  const config = {
    providers: [
      { name: provider, dialect: 'chat-completions', base_url: `${upstreamUrl}/v1`, secret: { file: secretFile } },
    ],
    models: [
      benchModel(MODEL, [{ provider, model: MODEL }]),
      benchModel(ONE_TARGET, [{ provider, model: `${MODEL}-1` }]),
      benchModel(
        THREE_TARGETS,
        [1, 2, 3].map((target) => ({ provider, model: `${MODEL}-${target}` })),
      ),
    ],
    packages: [
      { name: PACKAGE, type: 'topup', credits: MAX_CREDITS, models: 'all' },
      { name: 'bench-unlimited', type: 'unlimited', models: 'all' },
    ],
  }
  const path = join(folder, 'farebox.yaml')
  writeFileSync(path, JSON.stringify(config, null, 2))
  return path
}

export function benchModel(id: string, targets: readonly { readonly provider: string; readonly model: string }[]) {
  const size = { context_window: 128_000, max_output_tokens: 16_000 }
  return { id, display_name: 'Bench chat', kind: 'chat' as const, ...size, price: PRICE, targets: [...targets] }
}

function readProfile(file: string): CpuProfile {
  return JSON.parse(readFileSync(file, 'utf8')) as CpuProfile
}

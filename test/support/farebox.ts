// A real Farebox in this process, on a fresh data folder and port 0, set up through its own admin API. Tests reach it like a
// client does, over HTTP.

import { mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App } from '#app/app.ts'
import { openApp } from '#app/open.ts'
import { readConfig, type Config } from '#config/config.ts'
import { adminClient, type AdminClient } from '#cli/client.ts'
import type { ModelCreate, PackageCreate } from '#contract/schemas.ts'
import type { Clock } from '#pipeline/ports.ts'
import { makePasswordsCheap } from './cheap-passwords.ts'

export type Farebox = {
  readonly app: App
  readonly url: string
  readonly dataDir: string
  readonly admin: AdminClient
  /** Lines that Farebox logged. */
  readonly log: readonly string[]
  /** A new key in a package, by the package's name. */
  newKey(packageName: string): Promise<string>
  /** The balance object of a key. */
  balance(key: string): Promise<Record<string, unknown>>
  /** Closes and removes the data folder. */
  close(): Promise<void>
  /** Closes, keeping the data folder. */
  stop(): Promise<void>
}

export type FareboxOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly clock?: Clock
  /** An existing data folder, to start again on. */
  readonly dataDir?: string
  /** Where tools have their settings; by default an empty folder. */
  readonly tools?: { readonly home: string; readonly env: Readonly<Record<string, string>> }
  /** Any free one unless said otherwise. */
  readonly port?: number
}

export async function startFarebox(options: FareboxOptions = {}): Promise<Farebox> {
  makePasswordsCheap(true)
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'farebox-test-')))
  const log: string[] = []
  const { platform } = process
  const tools = { home: join(dataDir, 'home'), env: {}, platform, ...options.tools }
  const surroundings = { tools, ...(options.clock !== undefined && { clock: options.clock }) }
  const app = await openApp(testConfig(dataDir, options.env ?? {}), (line) => log.push(line), surroundings)
  const url = await app.listen(options.port ?? 0)
  const admin = adminClient((request) => app.inject(request))
  let keys = 0
  return {
    app,
    url,
    dataDir,
    admin,
    log,
    async newKey(packageName) {
      keys += 1
      const name = `key-${Date.now()}-${keys}`
      return (await admin.call('createKey', { body: { name, package: packageName } })).key
    },
    async balance(key) {
      const response = await fetch(`${url}/v1/balance`, { headers: { authorization: `Bearer ${key}` } })
      return (await response.json()) as Record<string, unknown>
    },
    async close() {
      await app.close()
      await rm(dataDir, { recursive: true, force: true })
    },
    stop: async () => void (await app.close()),
  }
}

/** Tests let providers fail faster, and more often in a row, than anybody waits for. */
const TEST_ENV = {
  FAREBOX_SECRETS: 'vault',
  FAREBOX_SHUTDOWN_GRACE_MS: '1000',
  FAREBOX_UPSTREAM_RETRY_DELAY_MS: '1',
  FAREBOX_UPSTREAM_TRIALS_PER_SECOND: '0',
}

/** Settings as if Farebox were started with this data folder and these variables. */
export function testConfig(dataDir: string, env: Readonly<Record<string, string>>): Config {
  const argv = ['--headless', '--port', '0', '--data-dir', dataDir]
  const read = readConfig({
    argv,
    env: { ...TEST_ENV, ...env },
    platform: process.platform,
    homeDir: homedir(),
  })
  if (read.type === 'mistake') throw new Error(read.message)
  return read.config
}

/** A chat model at an upstream, 1 credit per million input tokens and 2 per million output tokens unless said otherwise. */
export function chatModel(id: string, overrides: Partial<ModelCreate> = {}): ModelCreate {
  return {
    id,
    kind: 'chat',
    context_window: 100_000,
    max_output_tokens: 1_000,
    price: { input: 1, output: 2 },
    targets: [{ provider: 'upstream', model: `real-${id}` }],
    ...overrides,
  }
}

/** Sets up a provider named `upstream`, a chat model `chat`, an embedding model `embed` and packages. */
export async function setUpUpstream(
  farebox: Pick<Farebox, 'admin'>,
  baseUrl: string,
  packages: readonly PackageCreate[] = [{ name: 'plenty', type: 'topup', credits: 1000 }],
): Promise<void> {
  const document = {
    providers: [
      { name: 'upstream', dialect: 'chat-completions' as const, base_url: baseUrl, secret: 'sk-upstream-secret' },
    ],
    models: [
      chatModel('chat'),
      chatModel('embed', { kind: 'embedding', price: { input: 1, output: 0 }, max_output_tokens: 1 }),
    ],
    packages: [...packages],
  }
  await farebox.admin.call('apply', { body: { document } })
}

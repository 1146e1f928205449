// Where the scenarios run: the scripted provider, a Farebox process in front of it, and a folder for each call of a program.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PackageCreate } from '#contract/schemas.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { PASSWORD } from '../support/password.ts'
import type { Installed } from './install.ts'
import type { Outcome, Program, Task } from './program.ts'
import { DIALECTS, type Dialect, type Route } from './routes.ts'

export type Lab = {
  readonly installed: Installed
  readonly upstream: Upstream
  /** The gateway, started when it is first asked for. */
  gateway(): Promise<Gateway>
  /** What the gateway printed since this was last asked. */
  printed(): string
  /** Runs a program in a folder of its own. */
  run(program: Program, task: Omit<Task, 'folder'>): Promise<Outcome & { readonly folder: string }>
  close(): Promise<void>
}

type OverTls = { readonly url: string; readonly certificateFile: string }

export type Gateway = {
  readonly dataDir: string
  readonly url: string
  /** Everything it printed so far. */
  output(): string
  /** A key with plenty of credits. */
  readonly key: string
  /** A key whose credits do not pay for any call. */
  readonly poorKey: string
  /** Lets it be reached over TLS too, with the certificate that it makes for itself. */
  overTls(): Promise<OverTls>
  /** Makes a model be served in a dialect, or by a provider that wants its reasoning back as OpenRouter does. */
  serve(model: string, provider: Dialect | 'openrouter'): Promise<void>
}

/** On Linux all of 127.0.0.0/8 is this machine. */
export const LAN_ADDRESS = '127.0.0.2'

const PACKAGES: readonly PackageCreate[] = [
  { name: 'plenty', type: 'topup', credits: 1_000_000 },
  { name: 'poor', type: 'topup', credits: 0 },
]

export async function openLab(installed: Installed): Promise<Lab> {
  const upstream = await startUpstream()
  const folder = await temporaryFolder()
  let starting: Promise<Gateway> | undefined
  let started: Gateway | undefined
  let read = 0
  let runs = 0
  return {
    installed,
    upstream,
    async gateway() {
      starting ??= startGateway(upstream.url)
      started = await starting
      return started
    },
    printed() {
      const output = started?.output() ?? ''
      const fresh = output.slice(read)
      read = output.length
      return fresh
    },
    async run(program, task) {
      runs += 1
      const own = join(folder, String(runs))
      await mkdir(own)
      return { ...(await program.run(installed, { ...task, folder: own })), folder: own }
    },
    async close() {
      await endProcesses()
      await upstream.close()
    },
  }
}

/** Where a program reaches a model on a route, and with which key. */
export async function access(lab: Lab, route: Route, model: string) {
  if (route === 'alone') return { url: lab.upstream.url.replace(/\/v1$/, ''), key: 'key_alone', model }
  const gateway = await lab.gateway()
  await gateway.serve(model, route)
  return { url: gateway.url, key: gateway.key, model }
}

async function startGateway(upstreamUrl: string): Promise<Gateway> {
  const farebox = await startProcess({ dataDir: join(await temporaryFolder(), 'data') })
  const providers = DIALECTS.map((dialect) => ({
    name: dialect,
    dialect,
    base_url: upstreamUrl,
    secret: 'sk-scripted',
  }))
  const openrouter = {
    name: 'openrouter',
    dialect: 'chat-completions' as const,
    base_url: upstreamUrl,
    secret: 'sk-scripted',
    quirks: { reasoning_field: 'reasoning' as const },
  }
  const document = { providers: [...providers, openrouter], packages: [...PACKAGES] }
  await farebox.admin.call('apply', { body: { document } })
  let lan: Promise<OverTls> | undefined
  return {
    url: farebox.url,
    dataDir: farebox.dataDir,
    output: () => farebox.stdout() + farebox.stderr(),
    key: await newKey(farebox, 'plenty'),
    poorKey: await newKey(farebox, 'poor'),
    overTls() {
      lan ??= turnLanOn(farebox)
      return lan
    },
    async serve(model, provider) {
      const models = [
        {
          id: model,
          context_window: 200_000,
          max_output_tokens: 64_000,
          price: { input: 1, output: 2 },
          targets: [{ provider, model: `upstream-${provider}` }],
        },
      ]
      await farebox.admin.call('apply', { body: { document: { models } } })
    },
  }
}

async function turnLanOn({ admin, dataDir }: FareboxProcess): Promise<OverTls> {
  await admin.call('addMember', { body: { name: 'ada', role: 'administrator', password: PASSWORD } })
  const { urls } = await admin.call('setLan', { body: { address: LAN_ADDRESS, port: 0 } })
  const url = urls[0]
  if (url === undefined) throw new Error('the gateway has no address on the LAN')
  return { url, certificateFile: join(dataDir, 'lan-certificate.pem') }
}

async function newKey(farebox: FareboxProcess, packageName: string): Promise<string> {
  const { key } = await farebox.admin.call('createKey', { body: { name: packageName, package: packageName } })
  return key
}

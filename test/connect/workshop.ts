// A home folder and a data folder of a test's own, and a gateway of which only the keys are kept in mind.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Gateway } from '#connect/gateway.ts'
import type { ConnectWish, Workshop } from '#connect/tools.ts'
import { lockConnections } from '#store/lock.ts'
import type { KeyView, ModelView, PackageView } from '#contract/schemas.ts'

const AT = '2027-01-02T03:04:05.000Z'

export const LARGE = model('gpt-5.5', 'GPT-5.5', { context: 272_000, price: 10 })
export const SMALL = model('gpt-5-mini', 'GPT-5 "mini" ✓', { context: 128_000, price: 1 })
export const OTHER = model('claude/opus-4', "Claude's Opus 4", { context: 200_000, price: 5 })

function model(id: string, name: string, { context, price }: { context: number; price: number }): ModelView {
  return {
    id,
    display_name: name,
    kind: 'chat',
    context_window: context,
    max_output_tokens: 32_000,
    enabled: true,
    price: { version: 1, input: price, output: price, cache_read: price, cache_write: price },
    targets: [],
    created_at: AT,
  }
}

export function packageView(name: string, models: PackageView['models'] = 'all'): PackageView {
  return {
    id: `p-${name}`,
    name,
    type: 'unlimited',
    credits: null,
    timezone: 'UTC',
    limits: { requests_per_minute: null, tokens_per_minute: null, concurrent_requests: null },
    models,
    valid_until: null,
    created_at: AT,
    keys: 0,
  } as unknown as PackageView
}

export type FakeGateway = Gateway & {
  readonly made: KeyView[]
  /** The present value of each key, by its id. */
  readonly values: Map<string, string>
  /** What was asked for, in order. */
  readonly asked: string[]
  used(name: string, at: string): void
}

/** Every value is new, as a real gateway's. */
export function fakeGateway(models = [LARGE, SMALL, OTHER], packages = [packageView('team')]): FakeGateway {
  const made: KeyView[] = []
  const asked: string[] = []
  const values = new Map<string, string>()
  let count = 0
  const change = (id: string, what: Partial<KeyView>) => {
    const index = made.findIndex((key) => key.id === id)
    const key = made[index]
    if (key === undefined) throw new Error(`There is no key ${id}.`)
    made[index] = { ...key, ...what }
    return made[index]
  }
  const newValue = (id: string) => {
    const value = `fbx_value${(count += 1)}Zq8`
    values.set(id, value)
    return value
  }
  return {
    made,
    values,
    asked,
    used: (name, at) => {
      const key = made.find((one) => one.name === name)
      if (key !== undefined) change(key.id, { balance: { ...key.balance, last_used_at: at } })
    },
    url: async () => 'http://127.0.0.1:3273',
    models: async () => models,
    packages: async () => packages,
    keys: async () => made,
    createKey: async ({ name, package: packageName, tool, project = null, tags = [] }) => {
      asked.push(`create ${name} in ${packageName}`)
      made.push({ ...keyView(`k-${made.length + 1}`, name, packageName), tool, project, tags })
      return { id: `k-${made.length}`, name, key: newValue(`k-${made.length}`), expires_at: null }
    },
    rotateKey: async (id) => {
      asked.push(`rotate ${id}`)
      return { id, name: change(id, {}).name, key: newValue(id), expires_at: null }
    },
    moveKey: async (id, packageName) =>
      void (asked.push(`move ${id} to ${packageName}`), change(id, { package: packageName })),
    editKey: async (id, { project, tags }) => {
      asked.push(`edit ${id}`)
      change(id, { ...(project !== undefined && { project }), ...(tags !== undefined && { tags }) })
    },
    suspendKey: async (id) => void (asked.push(`suspend ${id}`), change(id, { status: 'suspended' })),
    resumeKey: async (id) => void (asked.push(`resume ${id}`), change(id, { status: 'active' })),
  }
}

function keyView(id: string, name: string, packageName: string): KeyView {
  return {
    id,
    name,
    hint: 'Zq8',
    package: packageName,
    owner: null,
    status: 'active',
    expires_at: null,
    created_at: AT,
    value_since: AT,
    previous_valid_until: null,
    tool: null,
    project: null,
    tags: [],
    balance: {
      total_credits: null,
      remaining_credits: null,
      used_credits: 0,
      held_credits: 0,
      cycle_started_at: AT,
      next_reset_at: null,
      total_requests: 0,
      last_used_at: null,
    },
    outlook: null,
  }
}

const folders: string[] = []

export type TestWorkshop = Workshop & { readonly gateway: FakeGateway; readonly home: string }

/** `name` is part of the home folder's own. */
export function openWorkshop({ gateway = fakeGateway(), name = 'home', env = {} } = {}): TestWorkshop {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-connect-'))
  folders.push(folder)
  const home = join(folder, name)
  mkdirSync(home)
  const surroundings = { home, env, platform: 'linux' as const }
  // Beside the data folder, which is there only once something was written into it.
  const lock = async () => lockConnections(folder)
  return { dataDir: join(folder, 'data'), surroundings, gateway, home, nowMs: () => Date.parse(AT), lock }
}

export function closeWorkshops(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

/** What is wished for a tool where nobody says more. */
export function wish(tool: string, more: Partial<ConnectWish> = {}): ConnectWish {
  return { tool, key: {}, models: {}, isDryRun: false, ...more }
}

/** A file with the folders on the way to it. */
export function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

// Each problem of `farebox doctor` by what causes it in earnest, on one machine: made, found as the only one, and put right.

import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { doneHere, runHere } from '../support/commands.ts'
import { endProcesses, farebox, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { PASSWORD } from '../support/password.ts'

type Answer = { readonly problems: readonly { id: string; tool: string | null; message: string; fix: string }[] }

/** On Linux all of 127.0.0.0/8 is this machine. */
const LAN_ADDRESS = '127.0.0.2'
const DAY_MS = 24 * 3_600_000

let folder: string
let dataDir: string
let bin: string
let gateway: FareboxProcess
let upstream: Upstream

beforeAll(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder, 'data')
  bin = join(folder, 'bin')
  mkdirSync(bin)
  upstream = await startUpstream()
  gateway = await startProcess({ dataDir })
  await run('demo')
  await gateway.admin.call('addProvider', {
    body: { name: 'upstream', dialect: 'chat-completions', base_url: upstream.url, secret: 'sk-of-the-provider' },
  })
  const sizes = { context_window: 1000, max_output_tokens: 100, price: { input: 1, output: 1 } }
  const targets = [{ provider: 'upstream', model: 'real-chat' }]
  await gateway.admin.call('addModel', { body: { id: 'real', targets, ...sizes } })
  await gateway.admin.call('addMember', { body: { name: 'boss', role: 'administrator', password: PASSWORD } })
  await run('package', 'add', 'small', '--type', 'topup', '--credits', '1')
  await run('connect', 'claude-code', '--package', 'small', '--model', 'demo-chat')
})

afterAll(async () => {
  await endProcesses()
  await upstream.close()
})

type Around = { readonly env?: Readonly<Record<string, string>> }

const place = ({ env = {} }: Around = {}) => ({ homeDir: folder, dataDir, env: { PATH: bin, ...env } })

async function run(...args: readonly string[]): Promise<void> {
  await doneHere(args, place())
}

async function doctor(args: readonly string[] = [], around: Around = {}): Promise<Answer> {
  const { stdout, stderr } = await runHere(['doctor', ...args, '--json'], place(around))
  expect(stderr).toBe('')
  expect(stdout).not.toMatch(/sk-of-the-provider|sk-other/)
  return JSON.parse(stdout) as Answer
}

/** The doctor in a process of its own whose clock is ahead. */
async function doctorAhead(aheadMs: number): Promise<Answer> {
  const preload = join(folder, 'clock.cjs')
  writeFileSync(preload, `const { now } = Date; Date.now = () => now() + ${aheadMs}`)
  const env = { NODE_OPTIONS: `--require ${preload}`, PATH: bin }
  const { stdout } = await farebox(['doctor', '--json'], { dataDir, env })
  return JSON.parse(stdout) as Answer
}

async function ask(model: string): Promise<void> {
  const key = readFileSync(connection('key'), 'utf8')
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }),
  })
  await answer.text()
}

const connection = (name: string) => join(dataDir, 'connections', 'claude-code', name)
const settings = () => join(folder, '.claude', 'settings.json')

/** Writes a file, and gives back what puts it as it was. */
function written(path: string, text: string, mode?: number): () => void {
  let before: string | undefined
  try {
    before = readFileSync(path, 'utf8')
  } catch {
    before = undefined
  }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  if (mode !== undefined) chmodSync(path, mode)
  return () => (before === undefined ? rmSync(path) : writeFileSync(path, before))
}

type Cause = {
  /** Makes it so, and gives back what puts it right. */
  readonly make: () => unknown
  readonly undo?: (made: unknown) => unknown
  readonly look?: () => Promise<Answer>
  readonly says?: RegExp
}

const undoWritten = (made: unknown) => (made as () => void)()

const CAUSES: Readonly<Record<string, Cause>> = {
  clock: {
    make: async () => {
      const date = new Date(Date.now() - 2 * 3_600_000).toUTCString()
      upstream.once({ type: 'answer', headers: { date } })
      await ask('real')
    },
    undo: () => ask('real'),
    says: /2 hours ahead of that of the provider 'upstream'/,
  },
  paused: { make: () => run('pause', '--minutes', '5'), undo: () => run('resume') },
  lan: {
    make: async () => {
      await run('lan', 'on', '--address', LAN_ADDRESS)
      const { port } = new URL((await gateway.admin.call('status', {})).lan.urls[0] ?? '')
      await gateway.stop()
      const other = createServer()
      await new Promise<void>((resolve) => other.listen(Number(port), LAN_ADDRESS, resolve))
      gateway = await startProcess({ dataDir, port: Number(new URL(gateway.url).port) })
      return other
    },
    undo: async (other) => {
      await run('lan', 'off')
      await new Promise((resolve) => (other as Server).close(resolve))
    },
  },
  lan_certificate: {
    make: () => run('lan', 'on', '--address', LAN_ADDRESS),
    look: () => doctorAhead(30 * 365 * DAY_MS),
    undo: () => run('lan', 'off'),
  },
  provider_failing: {
    make: async () => {
      upstream.script({ type: 'status', status: 503 })
      await ask('real')
    },
    undo: async () => {
      upstream.forget()
      await gateway.admin.call('testProvider', { id: 'upstream' })
      await ask('real')
    },
    says: /'upstream'.*503/,
  },
  journal: {
    make: () => written(connection('journal.json'), '{"tool": '),
    undo: undoWritten,
  },
  file: { make: () => written(settings(), '{ no json'), undo: undoWritten, says: /settings\.json/ },
  member_changed: {
    make: () => written(settings(), readFileSync(settings(), 'utf8').replace('demo-chat', 'another')),
    undo: undoWritten,
    says: /env\.ANTHROPIC\w+ in .*settings\.json/,
  },
  overridden: {
    make: () => undefined,
    look: () => doctor([], { env: { ANTHROPIC_API_KEY: 'sk-other' } }),
    says: /ANTHROPIC_API_KEY of this terminal/,
  },
  proxy: { make: () => undefined, look: () => doctor([], { env: { ALL_PROXY: 'http://127.0.0.1:1' } }) },
  version: {
    make: () => written(join(bin, 'claude'), '#!/bin/sh\necho "9.0.1 (Claude Code)"\n', 0o755),
    undo: undoWritten,
    says: /9\.0\.1/,
  },
  key_missing: {
    make: () => written(connection('key'), '') && rmSync(connection('key')),
    undo: () => run('connect', 'claude-code', '--model', 'demo-chat'),
  },
  key_other_value: {
    make: () => written(connection('key'), 'fbx_another-value'),
    undo: () => run('connect', 'claude-code', '--model', 'demo-chat'),
  },
  key_suspended: { make: () => run('key', 'suspend', 'claude-code'), undo: () => run('key', 'resume', 'claude-code') },
  key_expired: {
    make: async () => {
      await run('key', 'extend', 'claude-code', '--expires', new Date(Date.now() + 500).toISOString())
      const status = async () => (await gateway.admin.call('showKey', { id: 'claude-code' })).status
      await expect.poll(status, { timeout: 10_000 }).toBe('expired')
    },
    undo: () => run('key', 'extend', 'claude-code', '--expires', 'never'),
  },
  key_spent: {
    make: () => run('key', 'adjust', 'claude-code', '--credits', '-1', '--reason', 'spent'),
    undo: () => run('key', 'top-up', 'claude-code', '--credits', '5'),
  },
  package_ended: {
    make: () => run('package', 'edit', 'small', '--valid-until', new Date(Date.now() + DAY_MS).toISOString()),
    look: () => doctorAhead(2 * DAY_MS),
    undo: () => run('package', 'edit', 'small', '--valid-until', 'none'),
  },
  model_missing: {
    make: () => run('model', 'disable', 'demo-chat'),
    undo: () => run('model', 'enable', 'demo-chat'),
    says: /disabled/,
  },
  model_not_allowed: {
    make: () => run('package', 'edit', 'small', '--models', 'real'),
    undo: () => run('package', 'edit', 'small', '--models', 'all'),
  },
}

it.each(Object.entries(CAUSES))('%s is found by what causes it, and gone with that', async (id, cause) => {
  expect((await doctor()).problems).toEqual([])
  const made = await cause.make()
  try {
    const { problems } = await (cause.look ?? doctor)()
    expect(problems.map((problem) => problem.id)).toEqual([id])
    expect(problems[0]?.message).toMatch(cause.says ?? /./)
  } finally {
    await cause.undo?.(made)
  }
  expect((await doctor()).problems).toEqual([])
})

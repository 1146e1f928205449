// `farebox connect` as people run it, beside a gateway and without one.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endProcesses, farebox, startProcess, temporaryFolder, type CommandResult } from '../support/process.ts'

const OLD = '{\r\n\t// mine\r\n\t"env": { "EDITOR": "vim", },\r\n}\r\n'

let folder: string
let settings: string
let dataDir: string

beforeEach(async () => {
  folder = await temporaryFolder()
  // The home of a command is the folder around its data folder.
  settings = join(folder, '.claude', 'settings.json')
  dataDir = join(folder, 'data')
  mkdirSync(dirname(settings))
  writeFileSync(settings, OLD)
})

afterEach(endProcesses)

function run(...args: string[]): Promise<CommandResult> {
  return farebox(args, { dataDir })
}

async function answerOf(result: Promise<CommandResult>): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await result
  expect(stderr).toBe('')
  expect(code).toBe(0)
  return JSON.parse(stdout) as Record<string, unknown>
}

type Listed = { readonly tool: string; readonly connected: boolean; readonly files: readonly string[] }

async function listed(): Promise<Listed | undefined> {
  const tools = (await answerOf(run('connect', '--list', '--json'))) as unknown as readonly Listed[]
  return tools.find(({ tool }) => tool === 'claude-code')
}

describe('a tool', () => {
  it('is connected, seen with its first request, and disconnected after the gateway has ended', async () => {
    const gateway = await startProcess({ dataDir })
    await run('demo')
    const preview = await answerOf(run('connect', 'claude-code', '--dry-run', '--json'))
    expect(readFileSync(settings, 'utf8')).toBe(OLD)
    const connected = await answerOf(run('connect', 'claude-code', '--json'))
    expect(connected).toEqual(preview)
    expect(connected).toMatchObject({ tool: 'claude-code', key_name: 'claude-code', changes: [{ file: settings }] })
    const [, helper = ''] = /"apiKeyHelper": "cat '([^']+)'"/.exec(readFileSync(settings, 'utf8')) ?? []
    expect(readFileSync(settings, 'utf8')).toContain(`"ANTHROPIC_BASE_URL": "${gateway.url}"`)
    expect(await listed()).toMatchObject({ connected: false, files: [settings] })

    const answer = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${readFileSync(helper, 'utf8')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo-chat', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }),
    })
    expect(answer.status).toBe(200)
    await answer.text()
    await expect.poll(listed).toMatchObject({ connected: true })

    await gateway.stop()
    expect(await answerOf(run('disconnect', 'claude-code', '--json'))).toMatchObject({ problems: [], left: [] })
    expect(readFileSync(settings, 'utf8')).toBe(OLD)
    expect(existsSync(helper)).toBe(false)
    expect(await listed()).toMatchObject({ connected: false, files: [] })
  })

  it('goes on with the new value of its key, by a file of Farebox alone', async () => {
    await startProcess({ dataDir })
    await run('demo')
    await run('connect', 'claude-code')
    const written = readFileSync(settings, 'utf8')
    const keyFile = join(dataDir, 'connections', 'claude-code', 'key')
    const before = readFileSync(keyFile, 'utf8')
    const { key } = await answerOf(run('key', 'rotate', 'claude-code', '--json'))
    expect(readFileSync(keyFile, 'utf8')).toBe(key)
    expect(key).not.toBe(before)
    expect(statSync(keyFile).mode & 0o777).toBe(0o600)
    expect(readFileSync(settings, 'utf8')).toBe(written)
  })

  it('is launched by what is printed for it, and by its own program', async () => {
    await startProcess({ dataDir })
    await run('demo')
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(
      join(bin, 'claude'),
      '#!/bin/sh\necho "$ANTHROPIC_BASE_URL $ANTHROPIC_AUTH_TOKEN $ANTHROPIC_MODEL $*"; exit 7\n',
      { mode: 0o755 },
    )
    const printed = await answerOf(run('launch', 'claude-code', '--print', '--json'))
    expect(printed['command']).toEqual(['claude'])
    const { ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_BASE_URL: url } = printed['env'] as Record<string, string>
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` }
    const ran = await farebox(['--data-dir', dataDir, 'launch', 'claude-code', '--', '-p', 'two words'], {
      dataDir,
      env,
    })
    expect(ran).toMatchObject({ code: 7, stdout: `${url} ${key} demo-chat -p two words --data-dir ${dataDir}\n` })
    expect(readFileSync(settings, 'utf8')).toBe(OLD)
  })

  it('is refused in words, with nothing changed', async () => {
    await startProcess({ dataDir })
    await run('demo')
    writeFileSync(settings, '{ "env": ')
    const refused = await run('connect', 'claude-code', '--json')
    expect(refused.code).toBe(1)
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { type: 'unreadable' } })
    expect((await run('connect', 'cursor')).stderr).toContain('servers')
    expect((await run('connect')).code).toBe(2)
    expect((await run('disconnect')).code).toBe(2)
    expect(readFileSync(settings, 'utf8')).toBe('{ "env": ')
  })
})

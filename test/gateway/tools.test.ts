// Tools connected by the admin API of a running gateway, in a home folder of the test's own.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SeenChange, ToolConnect, ToolView } from '#contract/tools.ts'
import { openApp } from '#app/open.ts'
import { adminClient } from '#cli/client.ts'
import { lockConnections } from '#store/lock.ts'
import { postChat } from '../support/chat.ts'
import { startFarebox, testConfig, type Farebox } from '../support/farebox.ts'

const BEFORE = '{\r\n\t// mine\r\n\t"model": "opus",\r\n}\r\n'

let farebox: Farebox
let settings: string
beforeEach(async () => {
  farebox = await startFarebox()
  await farebox.admin.call('addDemo', {})
  settings = join(farebox.dataDir, 'home', '.claude', 'settings.json')
  write(settings, BEFORE)
})
afterEach(() => farebox.close())

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const connect = (body: ToolConnect, id = 'claude-code') => farebox.admin.call('connectTool', { id, body })
const preview = (id = 'claude-code') => connect({ dry_run: true }, id)
const seenOf = (changes: readonly SeenChange[]) =>
  changes.map(({ file, before_sha256, after_sha256 }) => ({ file, before_sha256, after_sha256 }))

async function toolOf(tool = 'claude-code'): Promise<ToolView | undefined> {
  return (await farebox.admin.call('listTools', {})).find((one) => one.tool === tool)
}

async function keyNames(): Promise<string[]> {
  return (await farebox.admin.call('listKeys', {})).map(({ name, status }) => `${name} ${status}`)
}

describe('a tool', () => {
  it('is connected as the preview showed, seen by its request, and disconnected to the byte', async () => {
    const shown = await preview()
    expect(readFileSync(settings, 'utf8')).toBe(BEFORE)
    expect(await keyNames()).not.toContain('claude-code active')
    expect(shown.changes[0]?.diff).toContain(`+\t\t"ANTHROPIC_BASE_URL": "${farebox.url}"`)

    await connect({ seen: seenOf(shown.changes) })
    expect(await toolOf()).toMatchObject({
      state: 'waiting',
      connected: false,
      files: [settings],
      key_name: 'claude-code',
      written: [{ file: settings, members: expect.arrayContaining(['env.ANTHROPIC_BASE_URL']) as string[] }],
    })
    const key = readFileSync(join(farebox.dataDir, 'connections', 'claude-code', 'key'), 'utf8')
    expect((await postChat({ url: farebox.url, key }, { model: 'demo-chat' })).status).toBe(200)
    await expect.poll(() => toolOf()).toMatchObject({ state: 'connected', connected: true })

    const back = await farebox.admin.call('disconnectTool', { id: 'claude-code', body: { dry_run: true } })
    expect(back).toMatchObject({ changes: [{ file: settings }], left: [], key_name: 'claude-code' })
    expect(readFileSync(settings, 'utf8')).not.toBe(BEFORE)
    await farebox.admin.call('disconnectTool', { id: 'claude-code', body: {} })
    expect(readFileSync(settings, 'utf8')).toBe(BEFORE)
    expect(await toolOf()).toMatchObject({ state: 'none', connected: false, files: [] })
    expect(await keyNames()).toContain('claude-code suspended')
  })

  it('that was connected before waits for a request of the new connection', async () => {
    await connect({ seen: seenOf((await preview()).changes) })
    const key = readFileSync(join(farebox.dataDir, 'connections', 'claude-code', 'key'), 'utf8')
    await postChat({ url: farebox.url, key }, { model: 'demo-chat' })
    await expect.poll(() => toolOf()).toMatchObject({ state: 'connected' })
    await farebox.admin.call('disconnectTool', { id: 'claude-code', body: {} })
    await connect({ seen: seenOf((await preview()).changes) })
    expect(await toolOf()).toMatchObject({ state: 'waiting', last_request_at: expect.any(String) as string })
  })

  it('whose key is suspended is said to be without one', async () => {
    await connect({ seen: seenOf((await preview()).changes) })
    await farebox.admin.call('suspendKey', { id: 'claude-code' })
    expect(await toolOf()).toMatchObject({ state: 'keyless', connected: false })
  })

  it('that is set up by hand gets a key and the lines for it', async () => {
    const { next, changes } = await connect({ seen: [], project: 'Website', tags: ['ci'] }, 'jetbrains')
    const key = readFileSync(join(farebox.dataDir, 'connections', 'jetbrains', 'key'), 'utf8')
    expect(changes).toEqual([])
    expect(next).toContain(`API key: ${key}`)
    expect(await toolOf('jetbrains')).toMatchObject({ state: 'waiting', files: [], ways: ['copy'] })
    expect(await farebox.admin.call('showKey', { id: 'jetbrains' })).toMatchObject({ project: 'website', tags: ['ci'] })
  })
})

describe('nothing is written', () => {
  it('without a preview', async () => {
    await expect(connect({})).rejects.toMatchObject({ message: expect.stringContaining('dry_run') as string })
    expect(await keyNames()).not.toContain('claude-code active')
  })

  it.each<readonly [string, (seen: SeenChange[]) => SeenChange[]]>([
    ['of a file that the preview did not show', () => []],
    ['to a file that was another one then', (seen) => seen.map((one) => ({ ...one, before_sha256: 'a'.repeat(64) }))],
    ['that is not what was shown', (seen) => seen.map((one) => ({ ...one, after_sha256: 'b'.repeat(64) }))],
  ])('%s', async (_, spoil) => {
    const seen = spoil(seenOf((await preview()).changes))
    await expect(connect({ seen })).rejects.toThrow('has changed meanwhile')
    expect(readFileSync(settings, 'utf8')).toBe(BEFORE)
    expect(await keyNames()).not.toContain('claude-code active')
  })

  it('for other models than those that were shown', async () => {
    const { changes } = await preview()
    await farebox.admin.call('editModel', { id: 'demo-chat', body: { context_window: 4321 } })
    await expect(connect({ seen: seenOf(changes) })).rejects.toThrow('has changed meanwhile')
    expect(readFileSync(settings, 'utf8')).toBe(BEFORE)
  })

  it('while the command line connects a tool', async () => {
    const { changes } = await preview()
    const lock = lockConnections(farebox.dataDir)
    await expect(connect({ seen: seenOf(changes) })).rejects.toThrow('just now')
    lock?.release()
    await connect({ seen: seenOf(changes) })
    expect(readFileSync(settings, 'utf8')).not.toBe(BEFORE)
  })

  it('of a tool that nobody knows, or that cannot be connected', async () => {
    await expect(preview('no-such-tool')).rejects.toThrow("knows no tool 'no-such-tool'")
    await expect(preview('../../etc')).rejects.toThrow('knows no tool')
    await expect(preview('cursor')).rejects.toThrow('Cursor sends every request from its own servers')
    expect(existsSync(join(farebox.dataDir, 'connections'))).toBe(false)
  })

  it('where a package or a model is not there', async () => {
    await expect(connect({ package: 'none', dry_run: true })).rejects.toThrow("no package 'none'")
    await expect(connect({ model: 'none', dry_run: true })).rejects.toThrow("no model 'none'")
  })

  it('at a start', async () => {
    await connect({ seen: seenOf((await preview()).changes) })
    rmSync(settings)
    await farebox.stop()
    farebox = await startFarebox({ dataDir: farebox.dataDir })
    expect(existsSync(settings)).toBe(false)
    expect(readdirSync(join(farebox.dataDir, 'home', '.claude'))).toEqual([])
  })
})

it('a Farebox without a user of its own says that it connects nothing', async () => {
  const app = await openApp(testConfig(join(farebox.dataDir, 'other'), {}), () => undefined)
  await expect(adminClient((request) => app.inject(request)).call('listTools', {})).rejects.toThrow('has no user')
  await app.close()
})

it('the audit log says who connected which tool to what, and repeats no key that was pasted', async () => {
  const { changes } = await preview()
  await connect({ seen: seenOf(changes), model: 'demo-chat' })
  await farebox.admin.call('disconnectTool', { id: 'claude-code', body: {} })
  const pasted = `key_${'aB3'.repeat(12)}Zz`
  await connect({ seen: [] }, pasted).catch(() => undefined)
  const { entries } = await farebox.admin.call('listAudit', { query: {} })
  const rows = entries.filter(({ action }) => action.endsWith('Tool'))
  expect(rows.map(({ action, subject, outcome }) => [action, subject, outcome])).toEqual([
    ['connectTool', null, 'not_found'],
    ['disconnectTool', 'claude-code', 'done'],
    ['connectTool', 'claude-code', 'done'],
  ])
  expect(JSON.stringify(rows)).toContain(settings)
  expect(JSON.stringify(rows)).not.toContain(pasted)
})

it('guides for other machines have the models that may be used, and say so where there is none', async () => {
  const guides = await farebox.admin.call('toolGuides', { query: { model: 'demo-chat', system: 'macos' } })
  expect(guides.find(({ tool }) => tool === 'goose')?.launch?.env).toMatchObject({
    OPENAI_HOST: farebox.url,
    GOOSE_MODEL: 'demo-chat',
  })
  const places = (tool: string) => guides.find((guide) => guide.tool === tool)?.files.map(({ place }) => place)
  expect(places('vscode-chat')).toEqual(['~/Library/Application Support/Code/User/chatLanguageModels.json'])
  await expect(farebox.admin.call('toolGuides', { query: { model: 'none' } })).rejects.toThrow("no model 'none'")
})

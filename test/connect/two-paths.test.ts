// One file that is reached by two paths: by a link to its folder, or by a folder that is mounted twice.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { isOpenConnection } from '#connect/journal.ts'
import { isSameFile } from '#connect/tool-file.ts'
import { connectTool, disconnectTool } from '#connect/tools.ts'
import { closeWorkshops, openWorkshop, wish, write, type TestWorkshop } from './workshop.ts'

afterEach(closeWorkshops)

const OLD = '{\n  // mine\n  "theme": "dark"\n}\n'
const SMALL = wish('claude-code', { models: { model: 'gpt-5-mini' } })

/** The same, where the variable of the tool leads to its folder by another name. */
function byOtherPath(workshop: TestWorkshop, folder: string): TestWorkshop {
  return { ...workshop, surroundings: { ...workshop.surroundings, env: { CLAUDE_CONFIG_DIR: folder } } }
}

describe('a folder behind a link', () => {
  function linked() {
    const workshop = openWorkshop()
    const settings = write(join(workshop.home, '.claude', 'settings.json'), OLD)
    const folder = join(workshop.home, 'linked')
    symlinkSync(join(workshop.home, '.claude'), folder)
    return { workshop, settings, other: byOtherPath(workshop, folder) }
  }

  it('has one file for a connection that takes the place of another, whichever path each goes', async () => {
    const { workshop, settings, other } = linked()
    for (const [first, second] of [
      [workshop, other],
      [other, workshop],
    ] as const) {
      await connectTool(first, wish('claude-code'))
      await connectTool(second, SMALL)
      expect(readFileSync(settings, 'utf8')).toContain('gpt-5-mini')
      expect(readFileSync(settings, 'utf8')).toContain('// mine')
      expect((await disconnectTool(first, 'claude-code')).problems).toEqual([])
      expect(readFileSync(settings, 'utf8')).toBe(OLD)
    }
  })

  it('is taken away again where a connection made it, though the last one went the other path', async () => {
    const workshop = openWorkshop()
    await connectTool(workshop, wish('claude-code'))
    const folder = join(workshop.home, 'linked')
    symlinkSync(join(workshop.home, '.claude'), folder)
    await connectTool(byOtherPath(workshop, folder), SMALL)
    await disconnectTool(workshop, 'claude-code')
    expect(existsSync(join(workshop.home, '.claude'))).toBe(false)
  })

  it('is a folder of its own for a path that leads elsewhere', async () => {
    const { workshop, settings } = linked()
    const elsewhere = byOtherPath(workshop, join(workshop.home, 'elsewhere'))
    await connectTool(workshop, wish('claude-code'))
    await connectTool(elsewhere, SMALL)
    expect(readFileSync(settings, 'utf8')).toBe(OLD)
    expect(readFileSync(join(workshop.home, 'elsewhere', 'settings.json'), 'utf8')).toContain('gpt-5-mini')
    await disconnectTool(workshop, 'claude-code')
    expect(readdirSync(workshop.home).toSorted()).toEqual(['.claude', 'linked'])
  })
})

it('of two files of a tool is refused, with nothing changed and no key made', async () => {
  const workshop = openWorkshop()
  const settings = write(join(workshop.home, '.gemini', 'settings.json'), '')
  symlinkSync(settings, join(workshop.home, '.gemini', '.env'))
  const refused = connectTool(workshop, wish('gemini-cli'))
  await expect(refused).rejects.toMatchObject({
    reason: 'foreign',
    message: expect.stringContaining('one file') as string,
  })
  expect(readFileSync(settings, 'utf8')).toBe('')
  expect(workshop.gateway.asked).toEqual([])
  expect(isOpenConnection(workshop.dataDir, 'gemini-cli')).toBe(false)
})

it('that is not there yet is known by the folder that is', () => {
  const { home } = openWorkshop()
  mkdirSync(join(home, 'a'))
  symlinkSync(join(home, 'a'), join(home, 'b'))
  expect(isSameFile(join(home, 'a', 'x', 'y'), join(home, 'b', 'x', 'y'))).toBe(true)
  expect(isSameFile(join(home, 'a', 'x'), join(home, 'b', 'y'))).toBe(false)
  expect(isSameFile(join(home, 'a', 'x'), join(home, 'x'))).toBe(false)
  symlinkSync('loop', join(home, 'loop'))
  expect(isSameFile(join(home, 'loop'), join(home, 'a'))).toBe(false)
})

const canMount = spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0

it.runIf(canMount)('by a folder that is mounted twice has one connection, and is as it was without it', () => {
  const workshop = openWorkshop()
  write(join(workshop.home, '.claude', 'settings.json'), OLD)
  mkdirSync(join(workshop.home, 'mounted'))
  const at = (name: string) => JSON.stringify(join(import.meta.dirname, name))
  const script = `
    import { readFileSync } from 'node:fs'
    const { connectTool, disconnectTool } = await import(${at('../../src-main/connect/tools.ts')})
    const { fakeGateway, wish } = await import(${at('workshop.ts')})
    const { dataDir, home } = ${JSON.stringify({ dataDir: workshop.dataDir, home: workshop.home })}
    const lock = async () => ({ release() {} })
    const gateway = fakeGateway()
    const by = (env) => ({ dataDir, gateway, lock, nowMs: Date.now, surroundings: { home, env, platform: 'linux' } })
    const other = by({ CLAUDE_CONFIG_DIR: home + '/mounted' })
    const settings = () => readFileSync(home + '/.claude/settings.json', 'utf8')
    await connectTool(by({}), wish('claude-code'))
    await connectTool(other, wish('claude-code', { models: { model: 'gpt-5-mini' } }))
    const connected = settings()
    const { problems } = await disconnectTool(by({}), 'claude-code')
    console.log(JSON.stringify({ connected, problems, left: settings() }))`
  const mount = 'mount --bind "$1/.claude" "$1/mounted" && exec "$2" --input-type=module --eval "$3"'
  const { stdout, stderr } = spawnSync(
    'unshare',
    ['--map-root-user', '--mount', 'sh', '-c', mount, 'sh', workshop.home, process.execPath, script],
    { encoding: 'utf8', cwd: join(import.meta.dirname, '../..') },
  )
  expect(stderr).toBe('')
  const { connected, problems, left } = JSON.parse(stdout) as { connected: string; problems: unknown[]; left: string }
  expect(connected).toContain('gpt-5-mini')
  expect(problems).toEqual([])
  expect(left).toBe(OLD)
})

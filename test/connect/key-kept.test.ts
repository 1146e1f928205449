// What becomes of a tool's key where a connection is only looked at, or is refused.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { connectTool, disconnectTool } from '#connect/tools.ts'
import { closeWorkshops, fakeGateway, openWorkshop, packageView, wish, write, type TestWorkshop } from './workshop.ts'

afterEach(closeWorkshops)

it('is not shown in the steps of a preview, whatever key the tool has', async () => {
  const workshop = openWorkshop()
  const { next } = await connectTool(workshop, wish('jetbrains'))
  const value = readFileSync(join(workshop.dataDir, 'connections', 'jetbrains', 'key'), 'utf8')
  expect(next.join()).toContain(value)
  const preview = await connectTool(workshop, wish('jetbrains', { isDryRun: true }))
  expect(preview.next.join()).toContain('the-key-of-this-tool')
  expect(JSON.stringify(preview)).not.toContain('fbx_')
})

it('is in its package again where the connection that moved it is refused', async () => {
  const gateway = fakeGateway(undefined, [packageView('team'), packageView('other')])
  const workshop = openWorkshop({ gateway })
  await connectTool(workshop, wish('claude-code'))
  const settings = join(workshop.home, '.claude', 'settings.json')
  mkdirSync(dirname(settings), { recursive: true })
  const moveKey: typeof gateway.moveKey = async (id, name) => {
    await gateway.moveKey(id, name)
    writeFileSync(settings, '{ no json')
  }
  const meddled = { ...workshop, gateway: { ...gateway, moveKey } }
  await expect(connectTool(meddled, wish('claude-code', { key: { package: 'other' } }))).rejects.toThrow(settings)
  expect(gateway.made.map((key) => [key.package, key.status])).toEqual([['team', 'active']])
})

it('is counted to what a connection says, stays so with the next one, and is as it was where one is refused', async () => {
  const { gateway, ...rest } = openWorkshop()
  const workshop = { ...rest, gateway }
  const counted = () => gateway.made.map(({ project, tags }) => [project, tags])
  const labels = { project: 'website', tags: ['ci'] }
  await connectTool(workshop, wish('claude-code', { key: { labels } }))
  await connectTool(workshop, wish('claude-code'))
  expect(counted()).toEqual([['website', ['ci']]])
  const editKey: typeof gateway.editKey = async (id, edit) => {
    await gateway.editKey(id, edit)
    writeFileSync(join(workshop.home, '.claude', 'settings.json'), '{ no json')
  }
  const meddled = { ...workshop, gateway: { ...gateway, editKey } }
  const other = wish('claude-code', { key: { labels: { project: 'books' } } })
  await expect(connectTool(meddled, other)).rejects.toThrow('settings.json')
  expect(counted()).toEqual([['website', ['ci']]])
  write(join(workshop.home, '.claude', 'settings.json'), '{}')
  await connectTool(workshop, other)
  expect(counted()).toEqual([['books', ['ci']]])
})

/** A tool that is connected, and whose connection with another key, `new`, was refused when that key was made already. */
async function refusedWithNewKey(): Promise<{ workshop: TestWorkshop; settings: string }> {
  const workshop = openWorkshop()
  const settings = write(join(workshop.home, '.claude', 'settings.json'), '{}\n')
  await connectTool(workshop, wish('claude-code'))
  const connected = readFileSync(settings)
  const createKey: typeof workshop.gateway.createKey = async (wanted) => {
    const made = await workshop.gateway.createKey(wanted)
    writeFileSync(settings, '{ no json')
    return made
  }
  const broken = { ...workshop, gateway: { ...workshop.gateway, createKey } }
  await expect(connectTool(broken, wish('claude-code', { key: { name: 'new' } }))).rejects.toThrow(settings)
  writeFileSync(settings, connected)
  return { workshop, settings }
}

const statuses = ({ gateway }: TestWorkshop) => gateway.made.map(({ name, status }) => [name, status])
const valueOf = ({ dataDir }: TestWorkshop) => readFileSync(join(dataDir, 'connections', 'claude-code', 'key'), 'utf8')

it('that was made for a connection that was refused is the key of the same connection once more', async () => {
  const { workshop, settings } = await refusedWithNewKey()
  const { key_name: name } = await connectTool(workshop, wish('claude-code', { key: { name: 'new' } }))
  expect(name).toBe('new')
  expect(statuses(workshop)).toEqual([
    ['claude-code', 'suspended'],
    ['new', 'active'],
  ])
  expect(valueOf(workshop)).toBe('fbx_value3Zq8')
  expect(existsSync(join(workshop.dataDir, 'connections', 'claude-code', 'key.held'))).toBe(false)
  expect((await disconnectTool(workshop, 'claude-code')).key_name).toBe('new')
  expect(readFileSync(settings, 'utf8')).toBe('{}\n')
})

it('that was made for a connection that was refused rests again where the next one is, and the old key stays', async () => {
  const { workshop, settings } = await refusedWithNewKey()
  const { resumeKey } = workshop.gateway
  const meddled: typeof resumeKey = async (id) => (await resumeKey(id), writeFileSync(settings, '{ no json'))
  const broken = { ...workshop, gateway: { ...workshop.gateway, resumeKey: meddled } }
  await expect(connectTool(broken, wish('claude-code', { key: { name: 'new' } }))).rejects.toThrow(settings)
  expect(statuses(workshop)).toEqual([
    ['claude-code', 'active'],
    ['new', 'suspended'],
  ])
  expect(valueOf(workshop)).toBe('fbx_value1Zq8')
})

it.each([
  ['has been used', { balance: { last_used_at: '2027-01-01T00:00:00.000Z' } }],
  ["is somebody's", { owner: 'ada' }],
  ['is of another tool', { tool: 'codex' }],
  ['is active', { status: 'active' }],
])('that %s is not given to a tool by its name', async (_, more) => {
  const { workshop } = await refusedWithNewKey()
  const [, made] = workshop.gateway.made
  const { balance, ...other } = more as { balance?: object }
  Object.assign(made ?? {}, other)
  Object.assign(made?.balance ?? {}, balance)
  const refused = connectTool(workshop, wish('claude-code', { key: { name: 'new' } }))
  await expect(refused).rejects.toMatchObject({ reason: 'taken' })
})

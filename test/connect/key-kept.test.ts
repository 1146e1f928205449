// What becomes of a tool's key where a connection is only looked at, or is refused.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { connectTool } from '#connect/tools.ts'
import { closeWorkshops, fakeGateway, openWorkshop, packageView, wish } from './workshop.ts'

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

// A connection that takes the place of an earlier one, where something comes between: a file that changes meanwhile, a process that ends, a
// folder that is somebody's own by then.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { applyChanges, planChanges, takeBack, type Change } from '#connect/apply.ts'
import { beginJournal } from '#connect/journal.ts'
import { planFile, type Wanted } from '#connect/plan.ts'
import { connectTool, disconnectTool } from '#connect/tools.ts'
import { closeWorkshops, OTHER, openWorkshop, wish, write, type TestWorkshop } from './workshop.ts'

afterEach(closeWorkshops)

const TOOL = 'claude-code'
const BEGUN = { at: '2027-01-02T03:04:05.000Z', told: { url: 'http://127.0.0.1:1', model: 'm', small_model: 's' } }
const settingsOf = ({ home }: TestWorkshop) => join(home, '.claude', 'settings.json')

function wanted(path: string, values: Readonly<Record<string, unknown>>): Wanted {
  const members = Object.entries(values).map(([name, value]) => ({ path: [name], value }))
  return { type: 'members', path, format: 'json', members }
}

function planned({ dataDir }: TestWorkshop, file: Wanted, meanwhile = () => {}): readonly Change[] {
  return planChanges(dataDir, TOOL, (readFile) => {
    const plan = planFile(file, readFile)
    meanwhile()
    return [plan]
  })
}

function apply({ dataDir }: TestWorkshop, changes: readonly Change[]): void {
  applyChanges({ dataDir, tool: TOOL, changes, ...BEGUN })
}

it('is refused where a file changes while it is planned, and what changed stays', () => {
  const workshop = openWorkshop()
  const path = write(settingsOf(workshop), '{}\n')
  const changes = planned(workshop, wanted(path, { a: 1 }), () => writeFileSync(path, '{"mine": 1}\n'))
  expect(() => apply(workshop, changes)).toThrow(path)
  expect(readFileSync(path, 'utf8')).toBe('{"mine": 1}\n')
})

it('leaves nothing of the earlier one where it ended before it wrote, and somebody changed the file since', () => {
  const workshop = openWorkshop()
  const path = write(settingsOf(workshop), '{\n  "old": 1\n}\n')
  apply(workshop, planned(workshop, wanted(path, { a: 1, b: 2 })))
  const next = planned(workshop, wanted(path, { a: 1 }))
  beginJournal(workshop.dataDir, TOOL, { plans: next.map(({ plan }) => plan), ...BEGUN })
  writeFileSync(path, readFileSync(path, 'utf8').replace('"old": 1', '"old": 3'))
  expect(takeBack(workshop.dataDir, TOOL)).toMatchObject([{ left: [], problem: null }])
  expect(readFileSync(path, 'utf8')).toBe('{\n  "old": 3\n}\n')
})

it('leaves nothing of itself where it ended when it had written, and somebody changed the file since', () => {
  const workshop = openWorkshop()
  const path = write(settingsOf(workshop), '{\n  "old": 1\n}\n')
  apply(workshop, planned(workshop, wanted(path, { a: 1 })))
  const next = planned(workshop, wanted(path, { a: 1, b: 2 }))
  beginJournal(workshop.dataDir, TOOL, { plans: next.map(({ plan }) => plan), ...BEGUN })
  writeFileSync(path, (next[0]?.plan.after ?? '').toString().replace('"old": 1', '"old": 3'))
  expect(takeBack(workshop.dataDir, TOOL)).toMatchObject([{ left: [], problem: null }])
  expect(readFileSync(path, 'utf8')).toBe('{\n  "old": 3\n}\n')
})

it('does not take away an empty folder that somebody made since the earlier one was taken back', async () => {
  const workshop = openWorkshop()
  const folder = dirname(settingsOf(workshop))
  await connectTool(workshop, wish(TOOL))
  await disconnectTool(workshop, TOOL)
  expect(existsSync(folder)).toBe(false)
  mkdirSync(folder)
  await connectTool(workshop, wish(TOOL))
  await disconnectTool(workshop, TOOL)
  expect(existsSync(folder)).toBe(true)
})

it('takes away a folder that the earlier one made', async () => {
  const workshop = openWorkshop()
  await connectTool(workshop, wish(TOOL))
  await connectTool(workshop, wish(TOOL, { models: { model: OTHER.id } }))
  await disconnectTool(workshop, TOOL)
  expect(existsSync(dirname(settingsOf(workshop)))).toBe(false)
})

// Before there was `begun.json`, the one journal said `connecting` while files were written.
it.each([
  ['written', (path: string) => readFileSync(path, 'utf8')],
  ['not yet written', () => '{ "mine": 1 }\n'],
])('of a version with one journal that ended with its file %s is taken back, byte for byte', async (_, textOf) => {
  const workshop = openWorkshop()
  const path = write(settingsOf(workshop), '{ "mine": 1 }\n')
  await connectTool(workshop, wish(TOOL))
  const journal = join(workshop.dataDir, 'connections', TOOL, 'journal.json')
  writeFileSync(journal, readFileSync(journal, 'utf8').replace('"state": "connected"', '"state": "connecting"'))
  writeFileSync(path, textOf(path))
  expect((await disconnectTool(workshop, TOOL)).problems).toEqual([])
  expect(readFileSync(path, 'utf8')).toBe('{ "mine": 1 }\n')
  await connectTool(workshop, wish(TOOL))
  await disconnectTool(workshop, TOOL)
  expect(readFileSync(path, 'utf8')).toBe('{ "mine": 1 }\n')
})

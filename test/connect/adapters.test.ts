// Every tool with files of its own, against settings as people have them: connected, only the members of its adapter differ; disconnected,
// every byte is as it was.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Adapter } from '#connect/adapter.ts'
import { ADAPTERS } from '#connect/adapters.ts'
import { linesOf } from '#connect/diff.ts'
import { pathOf } from '#connect/expand.ts'
import { readJournal } from '#connect/journal.ts'
import { FORMATS, type FormatName } from '#connect/plan.ts'
import { connectTool, disconnectTool } from '#connect/tools.ts'
import { decode } from '#connect/tool-file.ts'
import { withoutMember } from '#connect/values.ts'
import { largeSampleOf, samplesOf } from './corpus.ts'
import { closeWorkshops, openWorkshop, wish, write, type TestWorkshop } from './workshop.ts'
import { isLong } from '../support/cases.ts'

afterEach(closeWorkshops)

type FileTemplate = NonNullable<Adapter['connect']>['files'][number]
type Edited = {
  readonly tool: string
  readonly file: Extract<FileTemplate, { type: 'members' }>
  readonly format: FormatName
}

const FILES: readonly Edited[] = ADAPTERS.flatMap(({ tool, connect }) =>
  (connect?.files ?? []).flatMap((file) => (file.type === 'members' ? [{ tool, file, format: file.format }] : [])),
)

// What is looked for in a list is there the whole file.
const isList = ({ file }: Edited) =>
  file.members.every((member) => 'path' in member && typeof member.path[0] === 'object')

/** How long a file may be is up to its format, so that one of each is tried at length, unless all tests run. */
const LARGE: readonly Edited[] = isLong
  ? FILES
  : [...Map.groupBy(FILES, (edited) => `${edited.format} ${isList(edited)}`).values()].flatMap(([first]) => first ?? [])

/** Where a tool's file is, with the others that it needs beside it. */
function prepare(workshop: TestWorkshop, { tool, file }: Edited): string {
  for (const other of ADAPTERS.find((adapter) => adapter.tool === tool)?.connect?.files ?? []) {
    if (other.type !== 'members' || other.mustExist === undefined) continue
    const path = pathOf(other.places, workshop.surroundings)
    write(path, 'name: mine\n')
  }
  const path = pathOf(file.places, workshop.surroundings)
  mkdirSync(dirname(path), { recursive: true })
  return path
}

/** What a text says but for what the journal has of it. */
function saysOtherwise(
  workshop: TestWorkshop,
  { tool, format }: Edited,
  { path, text }: { path: string; text: Buffer },
): unknown {
  const entry = readJournal(workshop.dataDir, tool)?.files.find(({ file }) => file === path)
  const root = FORMATS[format].read(decode(text))
  return (entry?.members ?? []).reduce((values, member) => withoutMember(values, member.path), root)
}

describe.each(FILES)('$tool, $format', (edited) => {
  const samples = samplesOf(edited.format, isList(edited))
  const large = LARGE.includes(edited) ? [largeSampleOf(edited.format, isList(edited))] : []

  it.each([...samples, ...large])('a file $name', async ({ text, mode, isLink }) => {
    const workshop = openWorkshop()
    const path = prepare(workshop, edited)
    const real = isLink === true ? join(workshop.home, 'dotfiles', 'the-file') : path
    if (isLink === true) {
      mkdirSync(dirname(real))
      rmSync(path, { force: true })
      symlinkSync(real, path)
    }
    writeFileSync(real, text)
    if (mode !== undefined) chmodSync(real, mode)
    const before = readFileSync(real)
    const modeBefore = statSync(real).mode

    const { changes } = await connectTool(workshop, wish(edited.tool))
    const after = readFileSync(real)
    expect(changes.map(({ file }) => file)).toContain(path)
    expect(after.equals(before)).toBe(false)
    expect(after.subarray(0, 3).equals(Buffer.from('\uFEFF'))).toBe(text.startsWith('\uFEFF'))
    expect(statSync(real).mode).toBe(modeBefore)
    const emptied = (bytes: Buffer) => withoutEmpty(saysOtherwise(workshop, edited, { path, text: bytes }))
    expect(emptied(after)).toEqual(emptied(before))
    expect(isWithin(decode(before), decode(after))).toBe(true)
    if (text.includes('\r\n')) expect(linesOf(decode(after)).filter((line) => !line.endsWith('\r\n'))).toEqual([])

    await disconnectTool(workshop, edited.tool)
    expect(readFileSync(real).equals(before)).toBe(true)
    expect(statSync(real).mode).toBe(modeBefore)
    if (isLink === true) expect(lstatSync(path).isSymbolicLink() && readlinkSync(path)).toContain('dotfiles')
    expect(readdirSync(dirname(real)).filter((name) => name.includes('.farebox-'))).toEqual([])
  })

  it('no file, and afterwards none', async () => {
    const workshop = openWorkshop({ name: 'Hôme ✓ имя' })
    if (edited.file.mustExist !== undefined) {
      await expect(connectTool(workshop, wish(edited.tool))).rejects.toMatchObject({ reason: 'not_a_file' })
      return
    }
    for (const { file, format } of FILES.filter(({ tool }) => tool === edited.tool)) {
      if (file.mustExist !== undefined)
        write(pathOf(file.places, workshop.surroundings), samplesOf(format)[0]?.text ?? '')
    }
    const path = pathOf(edited.file.places, workshop.surroundings)
    const folder = existsSync(dirname(path))
    await connectTool(workshop, wish(edited.tool))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await disconnectTool(workshop, edited.tool)
    expect(existsSync(path)).toBe(false)
    expect(existsSync(dirname(path))).toBe(folder)
  })

  it('a file that is read-only stays as it is', async () => {
    const workshop = openWorkshop()
    const path = prepare(workshop, edited)
    const text = samples[0]?.text ?? ''
    writeFileSync(path, text)
    chmodSync(path, 0o444)
    await expect(connectTool(workshop, wish(edited.tool))).rejects.toMatchObject({ reason: 'read_only' })
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(workshop.gateway.asked).toEqual([])
  })

  it('a file that somebody changed since the preview stays as they left it', async () => {
    const workshop = openWorkshop()
    const path = prepare(workshop, edited)
    writeFileSync(path, samples[0]?.text ?? '')
    const preview = await connectTool(workshop, wish(edited.tool, { isDryRun: true }))
    expect(readFileSync(path, 'utf8')).toBe(samples[0]?.text)
    const seen = preview.changes
    const theirs = samples.find(({ name }) => name === 'on one line')?.text ?? ''
    writeFileSync(path, theirs)
    await expect(connectTool(workshop, wish(edited.tool, { seen }))).rejects.toMatchObject({ reason: 'changed' })
    expect(readFileSync(path, 'utf8')).toBe(theirs)
  })

  it('a file that the tool itself writes to meanwhile keeps what it wrote', async () => {
    const workshop = openWorkshop()
    const path = prepare(workshop, edited)
    const text = samples[0]?.text ?? ''
    const note = edited.format === 'json' ? '// later\n' : '# later\n'
    writeFileSync(path, text)
    await connectTool(workshop, wish(edited.tool))
    writeFileSync(path, `${readFileSync(path, 'utf8')}${note}`)
    const done = await disconnectTool(workshop, edited.tool)
    expect(done.left).toEqual([])
    expect(readFileSync(path, 'utf8')).toBe(`${text}${note}`)
  })

  it('a file that says the same already, in other words', async () => {
    const workshop = openWorkshop()
    const path = prepare(workshop, edited)
    await connectTool(workshop, wish(edited.tool))
    const own = readFileSync(path, 'utf8').replaceAll('127.0.0.1:3273', '127.0.0.1:9999')
    await disconnectTool(workshop, edited.tool)
    write(path, own)
    const wanted = connectTool(workshop, wish(edited.tool))
    await wanted.then(
      async () => {
        if (own.includes('9999')) expect(readFileSync(path, 'utf8')).toContain('127.0.0.1:3273')
        await disconnectTool(workshop, edited.tool)
      },
      // A whole table of that name is somebody's, and is not replaced.
      (error: unknown) => expect(error).toMatchObject({ reason: 'taken' }),
    )
    expect(readFileSync(path, 'utf8')).toBe(own)
  })
})

it('has a day, a page and a version for every tool, and one of the four ways', () => {
  for (const { tool, checked, page, versions, connect, launch, copy, impossible } of ADAPTERS) {
    expect(checked, tool).toMatch(/^2026-\d\d-\d\d$/)
    expect(URL.canParse(page), tool).toBe(true)
    expect(versions, tool).not.toBe('')
    expect(
      [connect, launch, copy, impossible].some((way) => way !== undefined),
      tool,
    ).toBe(true)
  }
  expect(new Set(ADAPTERS.map(({ tool }) => tool)).size).toBe(ADAPTERS.length)
})

it.each(ADAPTERS.map(({ tool, name }) => [tool, name]))('has %s in the table of docs/connect.md', (tool, name) => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'connect.md'), 'utf8')
  expect(page).toMatch(new RegExp(`^\\| \`${tool}\` +\\| ${name} +\\|`, 'm'))
})

/** Every character of one text is in the other, in its order. */
function isWithin(text: string, other: string): boolean {
  let at = 0
  for (const line of linesOf(text)) {
    const found = other.indexOf(line.trim(), at)
    if (found !== -1) {
      at = found + line.trim().length
      continue
    }
    for (const character of line.trim()) {
      at = other.indexOf(character, at) + 1
      if (at === 0) return false
    }
  }
  return true
}

/** What was made around a member is as good as nothing. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutEmpty)
  const entries = Object.entries(value)
    .map(([name, inner]) => [name, withoutEmpty(inner)] as const)
    .filter(([, inner]) => inner !== undefined)
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

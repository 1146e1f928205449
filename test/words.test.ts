// Names that the code keeps to: one word for bounds, and no name for two types of one room.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSources, withoutComments, type SourceFile } from './support/sources.ts'

const ROOT = join(import.meta.dirname, '..')
const ROOMS = readdirSync(join(ROOT, 'src-main'))

/** The dashboard is one room. A schema of the contract and the type of what it describes share their name. */
const rooms = [...ROOMS.map((room) => `src-main/${room}`), 'src-renderer'].map(
  (room) => [room, readSources(join(ROOT, room))] as const,
)

function boundsBeside(sources: readonly SourceFile[]): string[] {
  return sources.flatMap(({ path, text }) =>
    Array.from(withoutComments(text).matchAll(/\b(?:MOST|LEAST)(?:_[A-Z]\w*)?\b/g), ([name]) => `${path}: ${name}`),
  )
}

/** Of types that are declared at the top of a file. */
function namesOfTwo(sources: readonly SourceFile[]): string[] {
  const places = new Map<string, Set<string>>()
  for (const { path, text } of sources) {
    for (const [, name = ''] of withoutComments(text).matchAll(/^(?:export )?(?:type|interface|class) (\w+)/gm)) {
      places.set(name, (places.get(name) ?? new Set()).add(path))
    }
  }
  return Array.from(places).flatMap(([name, paths]) => (paths.size > 1 ? [`${name}: ${[...paths].join(', ')}`] : []))
}

describe.each(rooms)('%s', (_, sources) => {
  it('is found', () => {
    expect(sources.length).toBeGreaterThan(1)
  })

  it('calls bounds MAX_ and MIN_', () => {
    expect(boundsBeside(sources)).toEqual([])
  })

  it('has no name for two types', () => {
    expect(namesOfTwo(sources)).toEqual([])
  })
})

it('the rules find what they forbid', () => {
  const one = { path: 'a.ts', text: 'export type Plan = {}\nconst MOST_ROWS = 3 // LEAST_ROWS\n' }
  const other = { path: 'b.ts', text: 'type Plan = string\nconst LEAST_ROWS = 3' }
  expect(namesOfTwo([one, other])).toEqual(['Plan: a.ts, b.ts'])
  expect(boundsBeside([one, other])).toEqual(['a.ts: MOST_ROWS', 'b.ts: LEAST_ROWS'])
})

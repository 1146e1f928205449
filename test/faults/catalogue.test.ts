// How much the catalogue holds, and that no row stands in it twice.

import { describe, expect, it } from 'vitest'
import { FORMATS } from '../gateway/formats.ts'
import { runsOf } from './catalogue.ts'
import { FAULT_DIALECTS } from './fault.ts'
import { faultsOf } from './tables.ts'

const TABLES = FAULT_DIALECTS.map((dialect) => [dialect, faultsOf(dialect)] as const)
/** Fewer than this the catalogue must not hold for any dialect, places of one misbehaviour counted once. */
const FEWEST_KINDS = 40

describe('the fault catalogue', () => {
  it.each(TABLES)('has its kinds of misbehaviour for %s, each row under a name of its own', (_dialect, faults) => {
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length)
    expect(new Set(faults.map(({ name, kind }) => kind ?? name)).size).toBeGreaterThanOrEqual(FEWEST_KINDS)
  })

  it('runs in every client format at every dialect, streamed and whole', () => {
    const runs = TABLES.flatMap(([dialect, faults]) => runsOf(dialect, faults))
    const names = new Set(runs.map(({ dialect, format, mode }) => `${format.name} at ${dialect}, ${mode}`))
    expect(names.size).toBe(FAULT_DIALECTS.length * FORMATS.length * 2)
    expect(new Set(runs.map(({ fault }) => fault))).toEqual(new Set(TABLES.flatMap(([, faults]) => faults)))
    const rows = TABLES.reduce((sum, [, faults]) => sum + faults.length, 0)
    process.stdout.write(`fault catalogue: ${FAULT_DIALECTS.length} dialects, ${rows} rows, ${runs.length} runs\n`)
  })
})

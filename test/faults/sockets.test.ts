// The rows of the catalogue once more, for clients that ask over a WebSocket: they are told the same, and pay the same.

import { afterAll, beforeAll, describe, it } from 'vitest'
import { formatOf } from '../gateway/formats.ts'
import { startCatalogue, type Catalogue } from './catalogue.ts'
import { FAULT_DIALECTS, type Fault, type FaultDialect, type Run } from './fault.ts'
import { faultsOf } from './tables.ts'
import { isLong } from '../support/cases.ts'

const MAX_MS = 240_000
/** Of the rows that wait for no time limit one in so many is run, another one for each dialect, unless all tests run. */
const ONE_OF = 20

/** What moves many megabytes is not run: what is kept of such an answer has no beginning. */
function rowsOf(dialect: FaultDialect): readonly Fault[] {
  const rows = faultsOf(dialect).filter(({ modes, pace }) => modes?.includes('streamed') !== false && pace !== 'heavy')
  if (isLong) return rows
  const quick = rows.filter(({ pace }) => pace === undefined)
  return quick.filter((_, index) => index % ONE_OF === FAULT_DIALECTS.indexOf(dialect))
}

function runOf(dialect: FaultDialect, fault: Fault): Run {
  const format = formatOf('responses')
  return { fault, dialect, format, mode: 'streamed', isPassed: format.dialect === dialect, way: 'socket' }
}

describe.each(FAULT_DIALECTS)('faults of a provider of %s over a WebSocket', (dialect) => {
  const rows = rowsOf(dialect)
  let catalogue: Catalogue

  beforeAll(async () => {
    const runs = rows.map((fault) => runOf(dialect, fault))
    catalogue = await startCatalogue(dialect, runs)
  }, MAX_MS)

  afterAll(() => catalogue.close())

  it.each(rows.map((fault) => [fault.name, fault] as const))('%s', (_name, fault) => catalogue.check(fault), MAX_MS)

  it('leave sound books behind', () => catalogue.expectSound(), MAX_MS)
})

// One test for each row of a dialect's table. They do not wait for each other: all runs begin together.

import { afterAll, beforeAll, describe, it } from 'vitest'
import { runsOf, startCatalogue, type Catalogue } from './catalogue.ts'
import type { Fault, FaultDialect } from './fault.ts'
import { faultsOf } from './tables.ts'

const MAX_MS = 120_000

export function testCatalogue(dialect: FaultDialect, faults: readonly Fault[] = faultsOf(dialect)): void {
  let catalogue: Catalogue

  beforeAll(async () => {
    catalogue = await startCatalogue(dialect, runsOf(dialect, faults))
  }, MAX_MS)

  afterAll(() => catalogue.close())

  describe(`a provider of ${dialect} with`, () => {
    it.each(faults.map((fault) => [fault.name, fault] as const))('%s', (_name, fault) => catalogue.check(fault), MAX_MS)
  })

  it(`leaves sound books behind, whatever its providers of ${dialect} did`, () => catalogue.expectSound(), MAX_MS)
}

import { testCatalogue } from './catalogue-tests.ts'
import { CONVERSE_FAULTS } from './converse-faults.ts'
import { faultsOf } from './tables.ts'
import { isLong } from '../support/cases.ts'

/** Of the rows that every dialect has one in so many is run, unless all tests run: what reads them is shared. */
const ONE_OF = 8

const rows = faultsOf('bedrock-converse')
const own = new Set(CONVERSE_FAULTS)
const few = rows.filter((row, index) =>
  own.has(row) ? row.pace !== 'heavy' : row.pace === undefined && index % ONE_OF === 1,
)

testCatalogue('bedrock-converse', isLong ? rows : few)

// Reads a file with a report, whichever of the kinds it is.

import { readCsv, type CsvPreview } from '#bills/csv-report.ts'
import { readPages, tooLong } from '#bills/pages.ts'
import type { BillReport, ReportProblem } from '#bills/report.ts'
import { doOverlap } from '#bills/spans.ts'
import { JsonMeter, type JsonBounds } from '#dialect/json-meter.ts'
import { parseMeasured } from '#dialect/request-body.ts'

export type ReadReport = {
  readonly type: 'report'
  readonly report: BillReport
  readonly preview: CsvPreview | undefined
}

/** JSON is a page of an interface, or a list of pages; anything else is a file of a console. */
export function readReport(text: string): ReadReport | ReportProblem {
  const read = /^\s*[[{]/.test(text) ? readJson(text) : readCsv(text)
  if ('type' in read) return read
  const { usageSpans, costSpans } = read.report
  if (!doOverlap(usageSpans) && !doOverlap(costSpans)) return { type: 'report', ...read }
  return { type: 'problem', message: 'Some of its times overlap. Take hours or days, and one file of them.' }
}

/** Of a report of as many lines as are read. */
const BOUNDS: JsonBounds = { depth: 200, pieces: 6_000_000, members: 4_000_000, outermost: 1000, values: 6_000_000 }

/** Objects and lists, a few for each line that is read. */
const MAX_PARTS = 1_000_000

/** Brackets in texts count as well. */
function hasTooManyParts(text: string): boolean {
  let parts = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0 && parts <= MAX_PARTS; at = text.indexOf(bracket, at + 1)) parts += 1
  }
  return parts > MAX_PARTS
}

function readJson(text: string) {
  if (hasTooManyParts(text) || new JsonMeter(BOUNDS).push(Buffer.from(text)) !== undefined) return tooLong()
  const report = readPages(parseMeasured(text))
  return 'type' in report ? report : { report, preview: undefined }
}

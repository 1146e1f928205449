// Reads a file with a report, whichever of the kinds it is.

import { readCsv, type CsvPreview } from '#bills/csv-report.ts'
import { readPages } from '#bills/pages.ts'
import type { BillReport, ReportProblem } from '#bills/report.ts'
import { doOverlap } from '#bills/spans.ts'

export type ReadReport = {
  readonly type: 'report'
  readonly report: BillReport
  readonly preview: CsvPreview | undefined
}

/** JSON is a page of an interface, or a list of pages; anything else is a file of a console. */
export function readReport(text: string): ReadReport | ReportProblem {
  const read = /^\s*[[{]/.test(text) ? pagesOf(jsonOf(text)) : readCsv(text)
  if ('type' in read) return read
  const { usageSpans, costSpans } = read.report
  if (!doOverlap(usageSpans) && !doOverlap(costSpans)) return { type: 'report', ...read }
  return { type: 'problem', message: 'Some of its times overlap. Take hours or days, and one file of them.' }
}

function pagesOf(body: unknown) {
  const report = readPages(body)
  return 'type' in report ? report : { report, preview: undefined }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Half a page is no page, which is what its reader says of undefined.
    return undefined
  }
}

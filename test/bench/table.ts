// The report as text for a terminal.
import { canMeasureProcesses } from './process-figures.ts'
import type { Figures, Report, Verdict } from './report.ts'
import type { Spread } from './statistics.ts'

const WIDTHS = [32, 26, 26, 20, 26]
const NOT_RUN = '-'
/** Why a figure about a process is missing. */
const UNKNOWN = canMeasureProcesses ? NOT_RUN : 'cannot measure here'

export function table(report: Report): string {
  const { bare, farebox, translated } = report
  const rows = [
    row(['', 'bare proxy', 'Farebox', 'Farebox adds', 'Farebox, translating']),
    row(['CPU per call, us', ...both(bare, farebox, (one) => range(one.cpuPerCallMicros))]),
    row([
      'CPU per streamed event, us',
      ...both(bare, farebox, (one) => range(one.cpuPerEventMicros)),
      '',
      translated === undefined ? NOT_RUN : range(translated.cpuPerEventMicros),
    ]),
    row(['Reads per streamed event', ...both(bare, farebox, (one) => one.readsPerEvent?.toFixed(3) ?? NOT_RUN)]),
    latencyRow('Call, p50, ms', report, (one) => one.callMs?.p50),
    latencyRow('Call, p99, ms', report, (one) => one.callMs?.p99),
    latencyRow('First event, p50, ms', report, (one) => one.firstEventMs?.p50),
    latencyRow('First event, p99, ms', report, (one) => one.firstEventMs?.p99),
    row(['Memory idle, MiB', ...both(bare, farebox, (one) => one.memory.idleMiB?.toFixed(1) ?? UNKNOWN)]),
    row(['Memory after load, MiB', ...both(bare, farebox, (one) => one.memory.loadedMiB?.toFixed(1) ?? UNKNOWN)]),
    row(['Start to ready, ms', ...both(bare, farebox, (one) => range(one.readyMs, 0))]),
  ]
  const verdicts = report.verdicts.map(verdictLine)
  const warnings = report.warnings.map((warning) => `Warning: ${warning}`)
  return [report.machine, '', ...rows, '', ...verdicts, ...warnings].join('\n')
}

export function verdictLine({ name, unit, measured, limit, isMet }: Verdict): string {
  const digits = limit < 10 ? 2 : 0
  return row([name, `${range(measured, digits)} ${unit}`, `target at most ${limit}`, metWord(isMet)])
}

/** A verdict by itself, where what was measured is no single figure. */
export function figuresLine(name: string, isMet: boolean, figures: string): string {
  return `${name}: ${figures}  ${metWord(isMet)}`
}

export function metWord(isMet: boolean | undefined): string {
  if (isMet === undefined) return 'UNKNOWN'
  return isMet ? 'met' : 'MISSED'
}

function latencyRow(
  name: string,
  { bare, farebox, translated }: Report,
  pick: (one: Figures) => number | undefined,
): string {
  const before = pick(bare)
  const after = farebox && pick(farebox)
  const added = before === undefined || after === undefined ? NOT_RUN : (after - before).toFixed(3)
  const mapped = translated && pick(translated)
  const cells = [before, after].map((value) => value?.toFixed(3) ?? NOT_RUN)
  return row([name, ...cells, added, mapped?.toFixed(3) ?? NOT_RUN])
}

function both(bare: Figures, farebox: Figures | undefined, write: (one: Figures) => string): string[] {
  return [write(bare), farebox === undefined ? NOT_RUN : write(farebox)]
}

/** Median, with the extremes behind it where there are any. */
function range(value: Spread | undefined, digits = 1): string {
  if (value === undefined) return UNKNOWN
  const [median, min, max] = [value.median, value.min, value.max].map((each) => each.toFixed(digits))
  return min === max ? `${median}` : `${median} (${min}-${max})`
}

function row(cells: readonly string[]): string {
  return cells
    .map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0))
    .join('')
    .trimEnd()
}

// The text format of Prometheus, version 0.0.4: a page of rules, so that it is written here instead of taken from a library that
// would also keep the figures its own way.

import type { Histogram } from '#core/histogram.ts'

export type Labels = Readonly<Record<string, string>>

export type Family =
  | {
      readonly type: 'counter' | 'gauge'
      readonly name: string
      readonly help: string
      /** A sample without a value is not written: what nobody knows is not 0. */
      readonly samples: readonly (readonly [labels: Labels, value: number | undefined])[]
    }
  | {
      readonly type: 'histogram'
      readonly name: string
      readonly help: string
      readonly histograms: readonly (readonly [labels: Labels, histogram: Histogram])[]
    }

export function gauge(name: string, help: string, value: number | undefined): Family {
  return { type: 'gauge', name, help, samples: [[{}, value]] }
}

export function counter(name: string, help: string, value: number | undefined): Family {
  return { type: 'counter', name, help, samples: [[{}, value]] }
}

export function histogram(name: string, help: string, one: Histogram): Family {
  return { type: 'histogram', name, help, histograms: [[{}, one]] }
}

/** The whole page. A family without samples is left out. */
export function metricsText(families: readonly Family[]): string {
  return families.map(familyText).join('')
}

function familyText(family: Family): string {
  const lines = family.type === 'histogram' ? histogramLines(family) : sampleLines(family)
  if (lines.length === 0) return ''
  const { name, help, type } = family
  return [`# HELP ${name} ${escape(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}

function sampleLines({ name, samples }: Extract<Family, { type: 'counter' | 'gauge' }>): string[] {
  return samples.flatMap(([labels, value]) => (value === undefined ? [] : [line(name, labels, value)]))
}

function histogramLines({ name, histograms }: Extract<Family, { type: 'histogram' }>): string[] {
  return histograms.flatMap(([labels, one]) => {
    const counts = one.cumulative()
    return [
      ...one.bounds.map((bound, index) => line(`${name}_bucket`, { ...labels, le: String(bound) }, counts[index] ?? 0)),
      line(`${name}_bucket`, { ...labels, le: '+Inf' }, one.count),
      line(`${name}_sum`, labels, one.sum),
      line(`${name}_count`, labels, one.count),
    ]
  })
}

function line(name: string, labels: Labels, value: number): string {
  const written = Object.entries(labels).map(([label, text]) => `${label}="${escape(text).replaceAll('"', '\\"')}"`)
  return `${name}${written.length === 0 ? '' : `{${written.join(',')}}`} ${number(value)}`
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function number(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  if (value === Number.NEGATIVE_INFINITY) return '-Inf'
  return String(value)
}

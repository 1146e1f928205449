// Reads V8's CPU profiles and says where the time went, by function, each without what it called.

export type CpuProfile = {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

type CallFrame = { readonly functionName: string; readonly url: string; readonly lineNumber: number }

const TOP = 25
const NOT_WORK = ['(idle)', '(root)']

/** The functions that took most of the working time of one thread, largest first, after a line with that time. */
export function topFunctions(profile: CpuProfile): string[] {
  const selfMicros = selfTimes(profile)
  const total = [...selfMicros.values()].reduce((sum, each) => sum + each, 0)
  const largest = [...selfMicros].sort(([, left], [, right]) => right - left).slice(0, TOP)
  const lines = largest.map(([name, micros]) => {
    const share = ((100 * micros) / total).toFixed(1)
    return `${share.padStart(6)} %  ${(micros / 1000).toFixed(0).padStart(7)} ms  ${name}`
  })
  return [`working time ${(total / 1000).toFixed(0)} ms`, ...lines]
}

function selfTimes({ nodes, samples, timeDeltas }: CpuProfile): Map<string, number> {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const times = new Map<string, number>()
  samples.forEach((id, index) => {
    const name = names.get(id) ?? 'unknown'
    if (NOT_WORK.includes(name)) return
    // A delta is the time before its sample, so the time after it is the next one's.
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index + 1] ?? 0))
  })
  return times
}

function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  if (url === '') return functionName || '(native code)'
  const place = url.replace(/^.*\/(?=(?:src-main|node_modules|test)\/)/, '')
  return `${functionName || '(anonymous)'}  ${place}:${lineNumber + 1}`
}

// CPU time and memory of other processes, from /proc. There is no equal source elsewhere, so other systems get
// undefined, and the report says that it cannot measure.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export const canMeasureProcesses = process.platform === 'linux'

let ticksPerSecond: number | undefined

/** User plus system time of all threads, ended ones included, in microseconds. */
export function cpuMicros(pids: readonly number[]): number | undefined {
  if (!canMeasureProcesses) return undefined
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  const ticks = pids.map(cpuTicks).reduce((sum, each) => sum + each, 0)
  return (ticks / ticksPerSecond) * 1e6
}

/** Resident memory in MiB. */
export function residentMiB(pids: readonly number[]): number | undefined {
  if (!canMeasureProcesses) return undefined
  const kib = pids.map((pid) => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]))
  return kib.reduce((sum, each) => sum + each, 0) / 1024
}

function cpuTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may hold spaces; what follows it starts with field 3, and the times are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

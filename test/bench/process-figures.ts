// CPU time and memory of other processes, from /proc. There is no equal source elsewhere, so other systems get
// undefined, and the report says that it cannot measure.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export const canMeasureProcesses = process.platform === 'linux'

let ticksPerSecond: number | undefined

/** User plus system time of all threads, ended ones included, in microseconds. */
export function cpuMicros(pids: readonly number[]): number | undefined {
  return micros(pids, ({ user, system }) => user + system)
}

/** As `cpuMicros`, of the system's time alone. */
export function systemMicros(pids: readonly number[]): number | undefined {
  return micros(pids, ({ system }) => system)
}

/** As `cpuMicros`, of the processes that one started and that have ended. */
export function childrenMicros(pid: number): number | undefined {
  return micros([pid], ({ children }) => children)
}

function micros(pids: readonly number[], ticksOf: (ticks: Ticks) => number): number | undefined {
  if (!canMeasureProcesses) return undefined
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  const sum = pids.map((pid) => ticksOf(cpuTicks(pid))).reduce((total, each) => total + each, 0)
  return (sum / ticksPerSecond) * 1e6
}

/** Bytes that were written to disks, as the system counts pages when they become dirty. */
export function writtenBytes(pids: readonly number[]): number | undefined {
  if (!canMeasureProcesses) return undefined
  const bytes = pids.map((pid) => Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]))
  return bytes.reduce((sum, each) => sum + each, 0)
}

/** Resident memory in MiB. */
export function residentMiB(pids: readonly number[]): number | undefined {
  if (!canMeasureProcesses) return undefined
  const kib = pids.map((pid) => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]))
  return kib.reduce((sum, each) => sum + each, 0) / 1024
}

type Ticks = { readonly user: number; readonly system: number; readonly children: number }

function cpuTicks(pid: number): Ticks {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may hold spaces; what follows it starts with field 3, and the times are fields 14 and 15, and
  // those of ended children 16 and 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { user: Number(fields[11]), system: Number(fields[12]), children: Number(fields[13]) + Number(fields[14]) }
}

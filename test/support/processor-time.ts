// How long work takes this process, whatever else the machine does meanwhile.

/** Milliseconds of processor time, of all threads of this process. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

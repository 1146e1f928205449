// How long a piece of work takes, in a way that other work on the machine does not change.

/** Runs it, and measures the processor time of this thread: what is waited for while others run is not in it. */
export function measured<Result>(work: () => Result): { readonly result: Result; readonly cpuMs: number } {
  const before = process.threadCpuUsage()
  const result = work()
  const { user, system } = process.threadCpuUsage(before)
  return { result, cpuMs: (user + system) / 1000 }
}

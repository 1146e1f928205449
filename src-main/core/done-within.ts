// Waiting for something, but not for ever.

/** False when the time is over first; the work goes on. Rejects as the work does, before that. */
export async function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(late.resolve, ms, false)
  try {
    return await Promise.race([work.then(() => true), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

// Tries again what may fail for a moment: browsers give up what they are fetching when a network comes or goes.

const WAITS_MS = [500, 1500]
const LIMIT_MS = 20_000
export const NO_ANSWER = 'Farebox does not answer. Is it still running?'

/** What `get` comes to in one of three tries of 20 seconds; else what went wrong in the last. */
export async function again<Thing>(get: () => Promise<Thing>): Promise<Thing> {
  for (const waitMs of WAITS_MS) {
    try {
      return await inTime(get())
    } catch {
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
  return inTime(get())
}

async function inTime<Thing>(promise: Promise<Thing>): Promise<Thing> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(NO_ANSWER)), LIMIT_MS)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

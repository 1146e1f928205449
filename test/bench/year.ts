// A Farebox with a year of calls behind it.
import type { Child } from './child.ts'
import type { Installation } from './farebox.ts'
import { adminHeaders } from './reader.ts'
import { fillYear, type Year } from './reports-fill.ts'

export type OnYear = {
  readonly child: Child
  /** What proves to it that somebody is on this machine. */
  readonly headers: Record<string, string>
  /** How long its roll-ups took to be filled. */
  readonly filledMs: number
}

/** Fills the folder of an installation, starts it, and stops it when `look` is done. */
export async function withYear<Result>(
  farebox: Installation,
  { calls, sessions }: Pick<Year, 'calls' | 'sessions'>,
  look: (year: OnYear) => Promise<Result>,
): Promise<Result> {
  const shape = { keys: 100, models: 30, providers: 5 }
  const filledMs = fillYear(farebox.dataFolder, { ...shape, calls, sessions, endMs: Date.now() - 60_000 })
  const child = await farebox.start('plain')
  try {
    return await look({ child, headers: adminHeaders(farebox.dataFolder), filledMs })
  } finally {
    await child.stop()
  }
}

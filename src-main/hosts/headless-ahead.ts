// The way to the host without a display: the thread of the database begins before the host and all that it needs are loaded.

import { writerAhead } from '#app/writer-ahead.ts'

/** As `startHeadless`. */
export async function startAhead(argv: string[], whyNoTray: string | undefined): Promise<void> {
  const writer = writerAhead()
  const { startHeadless } = await import('#hosts/headless.ts')
  await startHeadless(argv, whyNoTray, { writer })
}

// How much a batch of charges writes: bytes of the whole process, tables and all, for each sync of the journal.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Installation } from './farebox.ts'
import { createClient, runCalls } from './load.ts'
import type { Work } from './options.ts'
import { WHOLE_EXCHANGE } from './payload.ts'
import { writtenBytes } from './process-figures.ts'
import { figure, scrape, WITH_METRICS } from './scrape.ts'
import { figuresLine } from './table.ts'

const PAGE_BYTES = 4096
const CALLERS = 16
const MAX_PAGES = 6
/** Longer than the tables may be behind. */
const AFTERMATH_MS = 1500

/** Returns a line for the terminal. */
export async function pagesPerSync(farebox: Installation, work: Work): Promise<string> {
  const child = await farebox.start('plain', WITH_METRICS)
  const client = createClient({ name: 'pages', url: child.url, key: farebox.key }, CALLERS)
  const calls = 10 * work.callsPerSlice
  try {
    await runCalls(client, WHOLE_EXCHANGE, { calls: work.callsPerSlice, callers: CALLERS })
    await sleep(AFTERMATH_MS)
    const batches = async () => figure(await scrape(child.url, farebox.dataFolder), 'farebox_write_batch_entries_count')
    const before = { batches: await batches(), bytes: writtenBytes(child.pids) ?? NaN }
    await runCalls(client, WHOLE_EXCHANGE, { calls, callers: CALLERS })
    await sleep(AFTERMATH_MS)
    const syncs = (await batches()) - before.batches
    const bytes = (writtenBytes(child.pids) ?? NaN) - before.bytes
    const pages = bytes / PAGE_BYTES / syncs
    const text = `${pages.toFixed(1)} at ${(calls / syncs).toFixed(1)} calls in a batch, target at most ${MAX_PAGES}`
    return figuresLine(`Pages written a sync, ${CALLERS} callers, tables included`, pages <= MAX_PAGES, text)
  } finally {
    await client.close()
    await child.stop()
  }
}

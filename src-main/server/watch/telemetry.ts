// Tells a collector of OpenTelemetry about calls, where somebody named one. What talks to it is loaded then, and only then.

import type { Log } from '#core/log.ts'
import type { RecordedCalls } from '#ledger/recorded.ts'
import type { UsageRecord } from '#ledger/rows.ts'
import type { Otlp, OtlpOptions } from '#server/watch/otlp.ts'

type TelemetryDeps = Pick<OtlpOptions, 'endpoint' | 'version' | 'providerOf'> & {
  readonly recorded: Pick<RecordedCalls, 'listen'>
  readonly log: Log
}

/** Calls that wait for the packages to be loaded; further ones are not told. */
const MAX_WAITING = 2048
/** A collector that does not answer does not hold up the end for longer. */
const CLOSE_LIMIT_MS = 2000

/** Begins to tell; returns what sends the rest and ends it. */
export function openTelemetry({ recorded, log, ...options }: TelemetryDeps): () => Promise<void> {
  let waiting: UsageRecord[] = []
  let otlp: Otlp | undefined
  const stop = recorded.listen((records) => {
    if (otlp !== undefined) otlp.recorded(records)
    else if (waiting.length < MAX_WAITING) waiting = [...waiting, ...records]
  })
  const opened = load({ ...options, onExport: teller(log) }).then((loaded) => {
    loaded.recorded(waiting)
    waiting = []
    otlp = loaded
    return loaded
  })
  // A package that cannot be loaded is a broken installation, which calls do not suffer from.
  opened.catch(() => log('OpenTelemetry could not be loaded.', { event: 'telemetry_failed', level: 'error' }))
  return async () => {
    stop()
    const closed = opened.then((loaded) => loaded.close()).catch(() => undefined)
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, CLOSE_LIMIT_MS).unref())])
  }
}

async function load(options: OtlpOptions): Promise<Otlp> {
  const { Otlp: Loaded } = await import('#server/watch/otlp.ts')
  return new Loaded(options)
}

/** Says when the collector begins to fail, and when it is back; nothing of what it answers. */
function teller(log: Log): OtlpOptions['onExport'] {
  let isFailing = false
  return (hasArrived) => {
    if (hasArrived !== isFailing) return
    isFailing = !hasArrived
    if (hasArrived) log('The collector takes telemetry again.', { event: 'telemetry_back', level: 'info' })
    else log('The collector does not take telemetry. What it misses is not sent again.', TROUBLE)
  }
}

const TROUBLE = { event: 'telemetry_failed', level: 'warning' } as const

// What came of every cell and check: printed as it comes, kept for the page, and counted at the end.

import { faultOfServer, type Failure } from './known.ts'

export type Result = Omit<Failure, 'reason'> & {
  /** undefined where it held. */
  readonly failure: { readonly reason: string; readonly serverFault: string | undefined } | undefined
}

export class Results {
  readonly all: Result[] = []

  async run(place: Omit<Failure, 'reason'>, check: () => Promise<void>): Promise<void> {
    const startedAtMs = Date.now()
    try {
      await check()
      this.all.push({ ...place, failure: undefined })
      print(`ok ${titleOf(place)} (${((Date.now() - startedAtMs) / 1000).toFixed(1)} s)`)
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 600)
      const serverFault = faultOfServer({ ...place, reason })
      this.all.push({ ...place, failure: { reason, serverFault } })
      print(`${serverFault === undefined ? 'FAILED' : 'server'} ${titleOf(place)}: ${reason}`)
    }
  }

  /** The exit code. A run without any cell has proved nothing. */
  close(): number {
    const ours = this.all.filter(({ failure }) => failure !== undefined && failure.serverFault === undefined)
    const theirs = this.all.filter(({ failure }) => failure?.serverFault !== undefined)
    const held = this.all.length - ours.length - theirs.length
    print(`upstreams: ${held} passed, ${ours.length} failed, ${theirs.length} cannot hold for what the server does`)
    return ours.length === 0 && held > 0 ? 0 : 1
  }
}

function titleOf({ server, dialect, format, column, stream }: Omit<Failure, 'reason'>): string {
  const way = stream === undefined ? '' : stream ? ', streamed' : ', whole'
  return `${server}, ${dialect}${format === undefined ? '' : `, ${format} client`}: ${column}${way}`
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

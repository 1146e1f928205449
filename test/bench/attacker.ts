// The attackers, a process of their own, and the provider that answers them with what is expensive to read. Told over HTTP which attack
// to begin and when to stop.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { ATTACKS, type AttackKind, type AttackTarget } from './attack-kinds.ts'
import { announce } from './child-side.ts'

const HOSTILE_ANSWER = Buffer.from(`{"choices":${'['.repeat(20_000_000)}`)
/** After a try that failed at once, so that an attack does not become one on its own machine. */
const PAUSE_MS = 20

let stopping: AbortController | undefined
let running: Promise<unknown> = Promise.resolve()
/** How often the attack that runs was answered what. */
let outcomes: Record<string, number> = {}

announce(createServer((request, response) => void serve(request, response)))

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  let answer = ''
  if (request.url === '/begin') begin(JSON.parse(body) as { name: string; target: AttackTarget })
  else if (request.url === '/stop') {
    stopping?.abort()
    await running
    answer = JSON.stringify(outcomes)
  } else response.writeHead(200, { 'content-type': 'application/json' }).write(HOSTILE_ANSWER)
  response.end(answer)
}

function begin({ name, target }: { name: string; target: AttackTarget }): void {
  const kind = ATTACKS.find((one) => one.name === name)
  if (kind === undefined) throw new Error(`there is no attack '${name}'`)
  stopping = new AbortController()
  outcomes = {}
  const { signal } = stopping
  running = Promise.all(Array.from({ length: kind.attackers }, () => attackOn({ kind, target, signal })))
}

type Attacking = { readonly kind: AttackKind; readonly target: AttackTarget; readonly signal: AbortSignal }

async function attackOn({ kind, target, signal }: Attacking): Promise<void> {
  while (!signal.aborted) {
    // A refusal, or a connection that is cut, is what an attacker has to expect.
    const outcome = await kind.attempt(target, signal).catch(() => 'cut')
    if (!signal.aborted) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    await sleep(PAUSE_MS)
  }
}

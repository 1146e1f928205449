// `npm run bench -- --only attacks`: what an honest user notices while others attack. Twenty calls a second are made all the time; each
// attack runs for some seconds, and then it is measured how long it takes until everything is as it was.
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { ATTACKS, type AttackTarget } from './attack-kinds.ts'
import { startChild, type Child } from './child.ts'
import { turnLanOn } from './crowd.ts'
import type { Installation } from './farebox.ts'
import { createClient, type Client } from './load.ts'
import type { Options } from './options.ts'
import { MODEL, PRICE, WHOLE_EXCHANGE } from './payload.ts'
import { residentMiB } from './process-figures.ts'
import { adminHeaders } from './reader.ts'
import { percentile } from './statistics.ts'
import { figuresLine } from './table.ts'

const EVERY_MS = 50
const QUIET_MS = 5000
const LIMITS = { beyondQuietMs: 250, refused: 0, wellAgainMs: 10_000 }
/** So many good calls one after another are no accident. */
const WELL = 5
const GIVE_UP_MS = 30_000
const HOSTILE_MODEL = 'hostile'

/** Returns lines for the terminal, one for each attack. */
export async function attackFigures(farebox: Installation, { work, json }: Options): Promise<string> {
  const { url: lanUrl, certificate } = await turnLanOn(farebox)
  const child = await farebox.start('plain')
  const attacker = await startChild({ args: [fileURLToPath(new URL('attacker.ts', import.meta.url))] })
  const client = createClient({ name: 'honest', url: child.url, key: farebox.key }, 64)
  try {
    const headers = adminHeaders(farebox.dataFolder)
    const key = await prepare(child.url, headers, attacker.url)
    const target = { url: child.url, lanUrl, certificate, key, adminHeaders: headers, hostileModel: HOSTILE_MODEL }
    const scene = { child, attacker, client, target }
    await honest(client, 1000)
    const quiet = await honest(client, QUIET_MS)
    const quietMs = percentile(quiet.ms, 99)
    const figures: Figures[] = []
    for (const { name } of ATTACKS)
      figures.push(await measure(scene, { name, quietMs, forMs: work.attackSeconds * 1000 }))
    if (json) return `${JSON.stringify({ quietMs, figures })}\n`
    return [`quiet p99: ${quietMs.toFixed(0)} ms`, ...figures.map(line), ''].join('\n')
  } finally {
    await client.close()
    await attacker.stop()
    await child.stop()
  }
}

type Scene = {
  readonly child: Child
  readonly attacker: Child
  readonly client: Client
  readonly target: AttackTarget
}

type Attack = { readonly name: string; readonly quietMs: number; readonly forMs: number }

type Figures = {
  readonly name: string
  readonly beyondQuietMs: number
  readonly calls: number
  readonly refused: number
  /** Why the first of them was. */
  readonly reason: string | undefined
  /** undefined where it did not become well for as long as it was watched. */
  readonly wellAgainMs: number | undefined
  readonly peakMiB: number
  /** What the attackers were answered, each with how often: whether they got as far as was meant. */
  readonly outcomes: Readonly<Record<string, number>>
}

async function measure({ child, attacker, client, target }: Scene, { name, quietMs, forMs }: Attack): Promise<Figures> {
  let peakMiB = 0
  const watch = setInterval(() => (peakMiB = Math.max(peakMiB, residentMiB(child.pids) ?? Number.NaN)), 200)
  await tell(attacker, '/begin', { name, target })
  const { ms, errors } = await honest(client, forMs)
  const outcomes = JSON.parse(await tell(attacker, '/stop', {})) as Record<string, number>
  const wellAgainMs = await wellAgain(client, quietMs)
  clearInterval(watch)
  return {
    name,
    beyondQuietMs: ms.length === 0 ? Number.NaN : percentile(ms, 99) - quietMs,
    calls: ms.length + errors.length,
    refused: errors.length,
    reason: errors[0],
    wellAgainMs,
    peakMiB,
    outcomes,
  }
}

/** Twenty calls a second, whether or not those before have been answered. */
async function honest(client: Client, forMs: number): Promise<{ ms: number[]; errors: string[] }> {
  const ms: number[] = []
  const errors: string[] = []
  const calls: Promise<unknown>[] = []
  for (let index = 0; index * EVERY_MS < forMs; index++) {
    const called = client.call(WHOLE_EXCHANGE).then(
      ({ totalMs }) => ms.push(totalMs),
      (error: unknown) => errors.push(String(error).slice(0, 160)),
    )
    calls.push(called)
    await sleep(EVERY_MS)
  }
  await Promise.all(calls)
  return { ms, errors }
}

/** How long it takes from now until the first of several calls one after another that are as good as in quiet times. */
async function wellAgain(client: Client, quietMs: number): Promise<number | undefined> {
  const startedMs = performance.now()
  let sinceMs: number | undefined
  for (let good = 0; good < WELL;) {
    const beganMs = performance.now() - startedMs
    if (beganMs > GIVE_UP_MS) return undefined
    const isGood = await client.call(WHOLE_EXCHANGE).then(
      ({ totalMs }) => totalMs <= quietMs + LIMITS.beyondQuietMs,
      () => false,
    )
    good = isGood ? good + 1 : 0
    if (good === 1) sinceMs = beganMs
    await sleep(EVERY_MS)
  }
  return sinceMs
}

async function tell(attacker: Child, path: string, body: object): Promise<string> {
  const answer = await request(attacker.url + path, { method: 'POST', body: JSON.stringify(body) })
  return answer.body.text()
}

/** A key for the attackers, and a model whose provider is one of them. */
async function prepare(url: string, headers: Readonly<Record<string, string>>, attackerUrl: string): Promise<string> {
  const ask = async (path: string, body: object) => {
    const json = { 'content-type': 'application/json', ...headers }
    const answer = await request(url + path, { method: 'POST', headers: json, body: JSON.stringify(body) })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`)
    return JSON.parse(text) as { key?: string }
  }
  const place = { dialect: 'chat-completions', network: 'local', base_url: `${attackerUrl}/v1` }
  await ask('/api/providers', { name: HOSTILE_MODEL, ...place })
  await ask('/api/models', {
    id: HOSTILE_MODEL,
    display_name: HOSTILE_MODEL,
    kind: 'chat',
    context_window: 128_000,
    max_output_tokens: 16_000,
    price: PRICE,
    targets: [{ provider: HOSTILE_MODEL, model: MODEL }],
  })
  const { key } = await ask('/api/keys', { name: 'attackers', package: 'bench-unlimited' })
  if (key === undefined) throw new Error('no key was made for the attackers')
  return key
}

function line({ name, beyondQuietMs, calls, refused, reason, wellAgainMs, peakMiB, outcomes }: Figures): string {
  const isMet =
    beyondQuietMs <= LIMITS.beyondQuietMs &&
    refused <= LIMITS.refused &&
    wellAgainMs !== undefined &&
    wellAgainMs <= LIMITS.wellAgainMs
  const why = reason === undefined ? '' : `, such as ${reason}`
  const again =
    wellAgainMs === undefined ? `not well for ${GIVE_UP_MS} ms` : `well again after ${wellAgainMs.toFixed(0)} ms`
  const told = Object.entries(outcomes).map(([what, count]) => `${count} x ${what}`)
  const attackers = `attackers were told ${told.join(', ') || 'nothing'}`
  const figures = `p99 ${beyondQuietMs.toFixed(0)} ms beyond the quiet one, ${refused} of ${calls} refused${why}, ${again}, at most ${peakMiB.toFixed(0)} MiB; ${attackers}`
  return figuresLine(name, isMet, figures)
}

// Three gateways as processes of their own on one PostgreSQL, both of the benchmark's own.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { adminClient, httpTransport, type AdminClient } from '#cli/client.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'
import type { Child } from './child.ts'
import { benchModel, emptyFolder, usedMicro, type Installation, type Mode, type Settings } from './farebox.ts'
import { MODEL } from './payload.ts'

const GATEWAYS = 3
/** PostgreSQL writes down its statistics a second or two late. */
const STATISTICS_MS = 2500
export const KNOWN_MS = 20_000
const TOLD_MS = 30_000

export type FleetKey = { readonly id: string; readonly key: string }
/** In micro-credits. */
export type Account = Readonly<Record<'granted' | 'used' | 'leased' | 'free' | 'owed', number>>
/** Since PostgreSQL was started: all messages, and the calls of each function. */
export type Messages = { readonly all: number; readonly functions: Readonly<Record<string, number>> }

type Joined = Pick<Installation, 'start' | 'profiles' | 'remove'> & { readonly child: Child }

export class BenchFleet {
  readonly postgres: Postgres
  readonly #joined: Joined[] = []
  #admin: AdminClient | undefined

  private constructor(postgres: Postgres) {
    this.postgres = postgres
  }

  /** The first is started in this mode, the others plainly. */
  static async start(upstreamUrl: string, mode: Mode): Promise<BenchFleet> {
    const fleet = new BenchFleet(await startPostgres())
    try {
      await fleet.postgres.run(`ALTER DATABASE postgres SET track_functions = 'pl'`)
      for (let index = 0; index < GATEWAYS; index += 1) await fleet.#join(index === 0 ? mode : 'plain')
      const provider = 'bench-upstream'
      const providers = [{ name: provider, dialect: 'chat-completions' as const, base_url: `${upstreamUrl}/v1` }]
      const models = [benchModel(MODEL, [{ provider, model: MODEL }])]
      await fleet.#admin?.call('apply', { body: { document: { providers, models } } })
      return fleet
    } catch (error) {
      await fleet.stop().catch(() => undefined)
      fleet.remove()
      throw error
    }
  }

  get gateways(): readonly Child[] {
    return this.#joined.map(({ child }) => child)
  }

  /** What ran under the profiler, to be asked after the end. */
  get first(): Pick<Installation, 'profiles'> | undefined {
    return this.#joined[0]
  }

  /** Keys with a balance each, which all gateways know. */
  async newKeys(count: number, microCredits: number): Promise<FleetKey[]> {
    if (this.#admin === undefined) throw new Error('no gateway was started')
    const made = await makeKeys(this.#admin, count, microCredits)
    // Changes are made in the same order everywhere.
    const last = made.at(-1)
    for (const { url } of this.gateways) await within(KNOWN_MS, () => usedMicro(url, last?.key ?? ''))
    return made
  }

  async newKey(microCredits: number): Promise<FleetKey> {
    const [made] = await this.newKeys(1, microCredits)
    if (made === undefined) throw new Error('no key was made')
    return made
  }

  async accountOf({ id }: FleetKey): Promise<Account> {
    const sql = `SELECT granted, used, leased, free, owed FROM farebox.account WHERE key_id = '${id}'`
    const [row] = await this.postgres.query(sql)
    if (row === undefined) throw new Error(`there is no account of ${id}`)
    return row as Account
  }

  /** Resolves when PostgreSQL knows that a key was charged exactly so much. Throws when it does not come to that. */
  async expectCharged(key: FleetKey, micro: number): Promise<Account> {
    return within(TOLD_MS, async () => {
      const account = await this.accountOf(key)
      const charged = account.used + account.owed
      if (charged !== micro) throw new Error(`${charged} micro-credits were charged instead of ${micro}`)
      return account
    })
  }

  /** Counts what goes on meanwhile, and what gateways say in the seconds before it is known. */
  async messages(): Promise<Messages> {
    await sleep(STATISTICS_MS)
    const [row] = await this.postgres.query(
      `SELECT (SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()) AS all,
        (SELECT jsonb_object_agg(funcname, calls) FROM pg_stat_user_functions WHERE schemaname = 'farebox') AS functions`,
    )
    return row as Messages
  }

  /** Throws when a gateway did not end cleanly. What it has measured can be asked for until it is removed. */
  async stop(): Promise<void> {
    try {
      await Promise.all(this.gateways.map((child) => child.stop()))
    } finally {
      await this.postgres.close()
    }
  }

  remove(): void {
    for (const { remove } of this.#joined) remove()
  }

  /** One more, which belongs to whoever asks for it. */
  async another(mode: Mode, settings: Settings = {}): Promise<Joined & Pick<Installation, 'dataFolder'>> {
    const folder = emptyFolder()
    const shared = { FAREBOX_DATABASE_URL: this.postgres.url, ...settings }
    const child = await folder.start(mode, shared).catch((error: unknown) => {
      folder.remove()
      throw error
    })
    return { ...folder, child }
  }

  /** Refuses all calls of a key from now on, said to the first gateway. */
  async revoke({ id }: FleetKey): Promise<void> {
    await this.#admin?.call('revokeKey', { id })
  }

  async #join(mode: Mode): Promise<void> {
    const joined = await this.another(mode)
    this.#joined.push(joined)
    this.#admin ??= adminOf(joined.child, joined.dataFolder)
  }
}

/** The admin API of a gateway that runs. */
export function adminOf({ url }: Child, dataFolder: string): AdminClient {
  const { token } = JSON.parse(readFileSync(join(dataFolder, 'instance.json'), 'utf8')) as { token: string }
  return adminClient(httpTransport({ url, token }))
}

/** Keys in a package of their own, with a balance each. */
export async function makeKeys(admin: AdminClient, count: number, microCredits: number): Promise<FleetKey[]> {
  const name = `bench ${randomUUID()}`
  await admin.call('addPackage', { body: { name, type: 'topup', credits: microCredits / 1e6 } })
  const made: FleetKey[] = []
  while (made.length < count) {
    const body = { name: `${name} ${made.length}`, package: name }
    const { id, key } = await admin.call('createKey', { body })
    made.push({ id, key })
  }
  return made
}

/** Resolves with what a look finds as soon as it does not reject any more. Rejects as the last one does when the time is over. */
export async function within<Value>(limitMs: number, look: () => Promise<Value>): Promise<Value> {
  for (const endMs = performance.now() + limitMs; ;) {
    try {
      return await look()
    } catch (error) {
      if (performance.now() > endMs) throw error
      await sleep(50)
    }
  }
}

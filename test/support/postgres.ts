// A PostgreSQL of a test's own: a cluster in a folder that is removed again, on a port of loopback that nobody else has.

import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg, { type Client } from 'pg'
import { programOf } from '../requirements.ts'
import { hashOf, packagesFolder } from './packages-folder.ts'

const run = promisify(execFile)

const START_LIMIT_MS = 30_000
/** Ends the server when it is told to, and removes its folder too where whoever would tell it is gone. */
const GUARDED = `trap '' INT TERM
"$@" & server=$!
read -r word; told=$?
kill -QUIT $server; wait $server
[ $told = 0 ] || rm -rf "$0"`

export type Postgres = {
  /** Without a password: whoever connects from here is believed. */
  readonly url: string
  /** Rows of a query, each as one object. */
  query(sql: string): Promise<Record<string, unknown>[]>
  /** Runs statements that answer nothing. */
  run(sql: string): Promise<void>
  /** Ends it at once, as by a power cut, or continues. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Another one that follows it, in the same folder: from its start on it has all commits, until it is stopped. */
  standby(): Promise<Postgres>
  /** One that can be started with the state of now, as if it had been restored from a backup of its files or from a dump, in the same folder. */
  backup(of?: 'files' | 'dump'): Promise<Postgres>
  /** Stops and removes everything. */
  close(): Promise<void>
}

/** PostgreSQL refuses to run as root, and only the packages of some systems make a user for it. */
function owner(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const user = spawnSync('id', ['postgres']).status === 0 ? 'postgres' : 'nobody'
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

const ENVIRONMENT = { PATH: process.env.PATH ?? '', LC_ALL: 'C' }

/** No test cuts the power of the machine, and after each fall of a server a busy disk would take minutes to have all of its files. */
const UNSYNCED = 'fsync=off'

/** `settings` beside its own, such as `shared_buffers=1GB`; a later one of a name holds. */
export async function startPostgres(settings: readonly string[] = []): Promise<Postgres> {
  const bin = dirname(programOf('postgresql'))
  const as = owner()
  const folder = await mkdtemp(join(tmpdir(), 'farebox-postgres-'))
  if (as.uid !== undefined && as.gid !== undefined) await chown(folder, as.uid, as.gid)
  const data = join(folder, 'data')
  const options = { ...as, cwd: folder, env: ENVIRONMENT }
  await run('cp', ['-a', await emptyCluster(bin), data])
  const server = await serverIn(data, { bin, folder, options, settings })
  await server.start()
  return {
    ...server,
    async close() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** One that nobody has used, for all tests to copy: to make one takes a second of a processor. It lies where later runs find it. */
async function emptyCluster(bin: string): Promise<string> {
  const { stdout: version } = await run(join(bin, 'initdb'), ['--version'])
  const as = owner()
  const args = ['-A', 'trust', '-U', 'farebox', '-E', 'UTF8', '--no-sync']
  const packages = packagesFolder()
  const cluster = join(packages, `postgres-${hashOf([version, ...args, as.uid].join())}`)
  if (existsSync(cluster)) return cluster
  // Two runs may make it at the same time, and neither may copy what the other has not finished.
  const made = `${cluster}.${process.pid}`
  // Whoever owns the cluster goes through it.
  if ((await mkdir(packages, { recursive: true })) !== undefined) await chmod(packages, 0o755)
  await mkdir(made, { recursive: true, mode: 0o700 })
  if (as.uid !== undefined && as.gid !== undefined) await chown(made, as.uid, as.gid)
  await run(join(bin, 'initdb'), ['-D', made, ...args], { ...as, cwd: made, env: ENVIRONMENT })
  await rename(made, cluster).catch(() => rm(made, { recursive: true, force: true }))
  return cluster
}

type Installed = {
  readonly bin: string
  readonly folder: string
  readonly settings: readonly string[]
  readonly options: ReturnType<typeof owner> & { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
}

/** Not started yet. */
async function serverIn(data: string, installed: Installed): Promise<Postgres> {
  const { bin, folder, options, settings: more } = installed
  const port = await freePort()
  let server: ReturnType<typeof spawn> | undefined
  const url = `postgres://farebox@127.0.0.1:${port}/postgres`
  const pidFile = join(data, 'postmaster.pid')
  const asker = new Asker(url)
  const stop = async () => {
    asker.end()
    const ended = server && new Promise((resolve) => server?.once('close', resolve))
    server?.stdin?.write('stop\n')
    await ended
    server = undefined
    await rm(pidFile, { force: true })
  }
  const start = async () => {
    const settings = ['listen_addresses=127.0.0.1', 'max_connections=30', 'shared_buffers=16MB', UNSYNCED, ...more]
    const args = ['-D', data, '-p', String(port), '-k', folder, ...settings.flatMap((setting) => ['-c', setting])]
    server = spawn('/bin/sh', ['-c', GUARDED, folder, join(bin, 'postgres'), ...args], {
      ...options,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    for (const untilMs = performance.now() + START_LIMIT_MS; performance.now() < untilMs;) {
      // Its last line says when it takes connections.
      const lines = await readFile(pidFile, 'utf8').catch(() => '')
      if (/ready/.test(lines)) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    throw new Error('PostgreSQL did not start')
  }
  const copied = async (more: readonly string[]) => {
    const copy = join(folder, `copy-${await freePort()}`)
    const args = ['-d', url, '-D', copy, ...more, '-X', 'stream', '-c', 'fast']
    await run(join(bin, 'pg_basebackup'), args, options)
    return serverIn(copy, installed)
  }
  const dumped = async () => {
    const copy = join(folder, `copy-${await freePort()}`)
    await run('cp', ['-a', await emptyCluster(bin), copy])
    const other = await serverIn(copy, installed)
    await other.start()
    const file = `${copy}.sql`
    await run(join(bin, 'pg_dump'), ['-d', url, '-f', file], options)
    await run(join(bin, 'psql'), ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', other.url, '-f', file], options)
    await other.stop()
    return other
  }
  return {
    url,
    stop,
    start,
    query: (sql) => asker.query(sql),
    async run(sql) {
      await run(join(bin, 'psql'), ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', url, '-c', sql], options)
    },
    async standby() {
      const following = await copied(['-R'])
      await following.start()
      return following
    },
    backup: (of = 'files') => (of === 'files' ? copied([]) : dumped()),
    close: stop,
  }
}

/** Asks over one connection for as long as that lasts: tests look again and again, and a program for each look costs more than the answer. */
class Asker {
  readonly #url: string
  #connected: Promise<Client> | undefined

  constructor(url: string) {
    this.#url = url
  }

  async query(sql: string): Promise<Record<string, unknown>[]> {
    const connected = (this.#connected ??= this.#connect())
    const client = await connected.catch((error: unknown) => {
      if (this.#connected === connected) this.#connected = undefined
      throw error
    })
    const text = `SELECT coalesce(json_agg(t), '[]') AS found FROM (${sql}) t`
    const { rows } = await client.query<{ readonly found: Record<string, unknown>[] }>(text)
    return rows[0]?.found ?? []
  }

  end(): void {
    this.#connected?.then((client) => client.end()).catch(() => undefined)
    this.#connected = undefined
  }

  async #connect(): Promise<Client> {
    const client = new pg.Client({ connectionString: this.#url })
    // The server went away. The next question has a connection of its own.
    client.on('error', () => (this.#connected = undefined))
    await client.connect()
    return client
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

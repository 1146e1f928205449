// A PostgreSQL of a test's own: a cluster in a folder that is removed again, on a port of loopback that nobody else has.

import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

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
  /** Stops and removes everything. */
  close(): Promise<void>
}

/** Where Debian and others put the programs; undefined where there is no PostgreSQL. */
function programs(): string | undefined {
  const versions = '/usr/lib/postgresql'
  const found = existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, 'bin')) : []
  return [...found.toSorted().toReversed(), '/usr/bin', '/usr/local/bin'].find((folder) =>
    existsSync(join(folder, 'initdb')),
  )
}

export const HAS_POSTGRES = programs() !== undefined

/** PostgreSQL refuses to run as root. */
function owner(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** `settings` beside its own, such as `shared_buffers=1GB`; a later one of a name holds. */
export async function startPostgres(settings: readonly string[] = []): Promise<Postgres> {
  const bin = programs()
  if (bin === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
  const as = owner()
  const folder = await mkdtemp(join(tmpdir(), 'farebox-postgres-'))
  if (as.uid !== undefined && as.gid !== undefined) await chown(folder, as.uid, as.gid)
  const data = join(folder, 'data')
  const options = { ...as, cwd: folder, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' } }
  await run(join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'farebox', '-E', 'UTF8', '--no-sync'], options)
  const server = await serverIn(data, { bin, folder, options, settings })
  return {
    ...server,
    async close() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

type Installed = {
  readonly bin: string
  readonly folder: string
  readonly settings: readonly string[]
  readonly options: ReturnType<typeof owner> & { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
}

async function serverIn(data: string, installed: Installed): Promise<Postgres> {
  const { bin, folder, options, settings: more } = installed
  const port = await freePort()
  let server: ReturnType<typeof spawn> | undefined
  const url = `postgres://farebox@127.0.0.1:${port}/postgres`
  const pidFile = join(data, 'postmaster.pid')
  const stop = async () => {
    const ended = server && new Promise((resolve) => server?.once('close', resolve))
    server?.stdin?.write('stop\n')
    await ended
    server = undefined
    await rm(pidFile, { force: true })
  }
  const start = async () => {
    const settings = ['listen_addresses=127.0.0.1', 'max_connections=30', 'shared_buffers=16MB', ...more]
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
  await start()
  return {
    url,
    stop,
    start,
    async query(sql) {
      const args = ['-X', '-t', '-A', '-d', url, '-c', `SELECT coalesce(json_agg(t), '[]') FROM (${sql}) t`]
      const { stdout } = await run(join(bin, 'psql'), args, { ...options, maxBuffer: 256 * 1024 * 1024 })
      return JSON.parse(stdout) as Record<string, unknown>[]
    },
    async run(sql) {
      await run(join(bin, 'psql'), ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', url, '-c', sql], options)
    },
    async standby() {
      const copy = join(folder, `standby-${await freePort()}`)
      await run(join(bin, 'pg_basebackup'), ['-d', url, '-D', copy, '-R', '-X', 'stream', '-c', 'fast'], options)
      return serverIn(copy, installed)
    },
    close: stop,
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

// Says who holds a port that Farebox wanted, as far as that can be told. It only ever helps a message along: it looks at a
// bounded amount, for a bounded time, and answers something whatever happens.

import { readdir, readFile, readlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename } from 'node:path'

const HEALTH_TIMEOUT_MS = 500
const SEARCH_TIMEOUT_MS = 1_000
const MAX_HEALTH_BYTES = 4_096
const LISTENING = '0A'
const UNKNOWN = 'another program'

/** Completes the sentence "port 3273 is taken by …". Never throws. */
export async function describePortOwner(port: number): Promise<string> {
  return (await describeFarebox(port)) ?? (await describeProcess(port)) ?? UNKNOWN
}

/** Who listens on a port of this machine; null for nobody. Never throws. */
export async function findPortOwner(port: number): Promise<string | null> {
  return (await isTaken(port)) ? describePortOwner(port) : null
}

function isTaken(port: number): Promise<boolean> {
  const probe = createServer()
  return new Promise((resolve) => {
    probe.once('error', (error) => resolve('code' in error && error.code === 'EADDRINUSE'))
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(false)))
  })
}

async function describeFarebox(port: number): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS)
    const response = await fetch(`http://127.0.0.1:${port}/health`, { signal, redirect: 'error' })
    const health: unknown = JSON.parse(await readShort(response))
    if (typeof health !== 'object' || health === null) return undefined
    if (!('name' in health) || health.name !== 'farebox') return undefined
    const version = 'version' in health ? health.version : undefined
    const isVersion = typeof version === 'string' && /^[0-9A-Za-z.+-]{1,40}$/.test(version)
    return isVersion ? `another Farebox (version ${version})` : 'another Farebox'
  } catch {
    // Whatever listens there is not a Farebox that answers; there are other ways to tell who it is.
    return undefined
  }
}

/** The text of a short answer. Another program may send without end: of a long answer nothing is kept. */
async function readShort(response: Response): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body) {
    chunks.push(chunk)
    length += chunk.length
    // Leaving the loop cancels the answer.
    if (length > MAX_HEALTH_BYTES) return ''
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function describeProcess(port: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  try {
    const sockets = await listeningSockets(port)
    const pid = sockets.size === 0 ? undefined : await findHolder(sockets)
    if (pid === undefined) return undefined
    return `'${await processName(pid)}' (process ${pid})`
  } catch {
    // The process ended meanwhile, or /proc is closed to us; a nameless answer is good enough.
    return undefined
  }
}

/**
 * The name of the program only: a command line may hold secrets. The program's file says more than `comm`, which is
 * `MainThread` for everything that runs on Node; it is not shown for every process, though.
 */
async function processName(pid: string): Promise<string> {
  const program = basename((await linkOrEmpty(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, ''))
  const name = program === '' ? await readFile(`/proc/${pid}/comm`, 'utf8') : program
  return name.replace(/[^\x20-\x7e]/g, '').slice(0, 100)
}

/** The links, as /proc/PID/fd shows them, of the sockets that listen on a port. */
async function listeningSockets(port: number): Promise<Set<string>> {
  const suffix = ':' + port.toString(16).toUpperCase().padStart(4, '0')
  const links = new Set<string>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of (await readOrEmpty(table)).split('\n')) {
      const columns = line.trim().split(/\s+/)
      if (columns[1]?.endsWith(suffix) && columns[3] === LISTENING) links.add(`socket:[${columns[9]}]`)
    }
  }
  return links
}

/** Our own processes are seen, and everyone's when we are root. */
async function findHolder(sockets: ReadonlySet<string>): Promise<string | undefined> {
  const deadline = performance.now() + SEARCH_TIMEOUT_MS
  const pids = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name))
  for (const pid of pids) {
    for (const descriptor of await readdirOrNone(`/proc/${pid}/fd`)) {
      if (performance.now() > deadline) return undefined
      if (sockets.has(await linkOrEmpty(`/proc/${pid}/fd/${descriptor}`))) return pid
    }
  }
  return undefined
}

// What cannot be read belongs to someone else, or is gone by now. Either way the search goes on without it.

function readOrEmpty(path: string): Promise<string> {
  const signal = AbortSignal.timeout(SEARCH_TIMEOUT_MS)
  return readFile(path, { encoding: 'utf8', signal }).catch(() => '')
}

function readdirOrNone(path: string): Promise<string[]> {
  return readdir(path).catch(() => [])
}

function linkOrEmpty(path: string): Promise<string> {
  return readlink(path).catch(() => '')
}

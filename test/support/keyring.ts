// A real Secret Service for tests: gnome-keyring on a D-Bus session of its own, in a folder that is removed again.

import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Keyring = {
  /** What a process needs in its environment to find this keyring, and nothing else. */
  readonly env: Readonly<Record<string, string>>
  /** Locks the collection that secrets go to. */
  lock(): Promise<void>
  /** Unlocks it, by starting the daemon anew where it is locked or gone. */
  unlock(): Promise<void>
  /** Ends the daemon without a word; nobody answers then. */
  kill(): void
  /** Keeps the daemon from answering, as one does that waits for something. */
  freeze(): void
  thaw(): void
  /** Ends everything and removes the folder. */
  close(): Promise<void>
}

const PASSWORD = 'the password of the test keyring'
/** A bus that starts no services by itself: no second daemon, and no window that asks for the password. */
const busConfig = (folder: string) => `<busconfig>
  <type>session</type>
  <listen>unix:dir=${folder}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`
const COLLECTION = '/org/freedesktop/secrets/collection/login'

type Env = Readonly<Record<string, string>>
type Session = { readonly env: Env; readonly daemon: ChildProcess; readonly endBus: () => Promise<void> }

/** Once in many runs a session or a daemon does not come up on a machine that is busy. What fails this often is broken. */
const MAX_ATTEMPTS = 3
const ATTEMPT_LIMIT_MS = 10_000

export async function startKeyring(): Promise<Keyring> {
  const { env, endBus, ...session } = await attempt(startSession)
  let { daemon } = session
  return {
    env,
    async lock() {
      await call(env, 'org.freedesktop.Secret.Service.Lock', `['${COLLECTION}']`)
    },
    async unlock() {
      if (await isUnlocked(env)) return
      await end(daemon)
      daemon = await attempt(() => startDaemon(env))
    },
    kill: () => void daemon.kill('SIGKILL'),
    freeze: () => void daemon.kill('SIGSTOP'),
    thaw: () => void daemon.kill('SIGCONT'),
    async close() {
      await end(daemon)
      await endBus()
    },
  }
}

async function attempt<T>(start: () => Promise<T>): Promise<T> {
  for (let left = MAX_ATTEMPTS - 1; left > 0; left--) {
    try {
      return await start()
    } catch {
      // It left nothing behind, and the last attempt says what is wrong.
    }
  }
  return start()
}

/** A bus and a daemon on it, in a folder of their own. Leaves neither where one of them does not start. */
async function startSession(): Promise<Session> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-keyring-'))
  const runtime = join(folder, 'run')
  await mkdir(runtime, { mode: 0o700 })
  const home = { PATH: process.env.PATH ?? '', HOME: folder, XDG_RUNTIME_DIR: runtime }
  await writeFile(join(folder, 'bus.conf'), busConfig(folder))
  const bus = spawn('dbus-daemon', [`--config-file=${join(folder, 'bus.conf')}`, '--nofork', '--print-address=1'], {
    env: home,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const endBus = async () => {
    await end(bus)
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
  try {
    const env = { ...home, DBUS_SESSION_BUS_ADDRESS: await firstLine(bus) }
    return { env, daemon: await startDaemon(env), endBus }
  } catch (error) {
    await endBus()
    throw error
  }
}

/** In the foreground, so that its process is ours to stop. */
async function startDaemon(env: Env): Promise<ChildProcess> {
  const flags = ['--foreground', '--unlock', '--components=secrets']
  const daemon = spawn('gnome-keyring-daemon', flags, { env, stdio: ['pipe', 'ignore', 'ignore'] })
  // One that ends without reading closes the pipe; that it has ended is seen below.
  daemon.stdin.on('error', () => undefined).end(PASSWORD)
  daemon.once('exit', (code, signal) => {
    if (signal !== 'SIGKILL')
      console.warn(`gnome-keyring ended by itself (${signal ?? code}): nobody answered for a while`)
  })
  const limitMs = performance.now() + ATTEMPT_LIMIT_MS
  while (!(await isUnlocked(env))) {
    if (performance.now() > limitMs || hasEnded(daemon)) {
      await end(daemon)
      throw new Error('gnome-keyring did not start')
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return daemon
}

async function isUnlocked(env: Env): Promise<boolean> {
  const args = ['org.freedesktop.Secret.Collection', 'Locked']
  const answer = await call(env, 'org.freedesktop.DBus.Properties.Get', ...args, COLLECTION).catch(() => '')
  return answer.includes('false')
}

/** Calls a method of the Secret Service; a last argument that is a path names the object. */
async function call(env: Env, method: string, ...args: string[]): Promise<string> {
  const isAboutCollection = args.at(-1) === COLLECTION
  const object = isAboutCollection ? COLLECTION : '/org/freedesktop/secrets'
  const rest = isAboutCollection ? args.slice(0, -1) : args
  const target = ['--session', '--timeout', '5', '-d', 'org.freedesktop.secrets', '-o', object, '-m', method]
  const { stdout } = await run('gdbus', ['call', ...target, ...rest], { env, timeout: 8_000 })
  return stdout
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no output to read')
  const limit = setTimeout(() => void child.kill('SIGKILL'), ATTEMPT_LIMIT_MS)
  try {
    for await (const line of createInterface(child.stdout)) return line
  } finally {
    clearTimeout(limit)
  }
  throw new Error('the D-Bus session did not start')
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

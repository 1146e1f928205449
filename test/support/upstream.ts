// A provider on port 0 that does what a test scripts, faults included, and records what it was asked. It speaks chat
// completions, messages, responses, embeddings and the model list. It must leave nothing behind: close() ends every socket and every timer.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Behaviour } from './upstream-behaviour.ts'
import { deliver } from './upstream-delivery.ts'
import type { RequestBody } from './upstream-format.ts'
import { buildReply } from './upstream-reply.ts'

export type Upstream = {
  /** The base url a provider is configured with, `/v1` included. */
  readonly url: string
  /** In order of arrival. A request is listed when its headers are in; its body follows. */
  readonly requests: readonly RecordedRequest[]
  /** What every request gets that was not queued for. */
  script(script: Script): void
  /** What the next request gets; calls queue up. */
  once(script: Script): void
  /** Forgets recorded requests and scripts; open connections stay. */
  forget(): void
  openSockets(): number
  /** Stops listening and drops every connection: new ones are refused until accept(). */
  refuse(): Promise<void>
  accept(): Promise<void>
  close(): Promise<void>
}

export type Script = Behaviour | ((request: RecordedRequest) => Behaviour)

export type RecordedRequest = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly text: string
  /** The same as it came. */
  readonly bytes: Buffer
  readonly body: RequestBody
  readonly receivedAtMs: number
  /** When the connection ended, cut by either side, before the reply was out; undefined when that did not happen. */
  readonly closedAtMs: number | undefined
  /** The whole reply was handed to the network. */
  readonly completed: boolean
}

type Recording = { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] }

type State = {
  readonly requests: Recording[]
  readonly queue: Script[]
  readonly sockets: Set<Socket>
  fallback: Script
}

const LOOPBACK = '127.0.0.1'
const ORDINARY: Behaviour = { type: 'answer' }
/** Longer than any test waits: a connection that we drop while a client reuses it would look like a fault. */
const KEEP_ALIVE_MS = 60_000

export async function startUpstream(): Promise<Upstream> {
  const state: State = { requests: [], queue: [], sockets: new Set(), fallback: ORDINARY }
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    handle(state, request, response).catch((error: unknown) => fail(response, error))
  })
  server.on('connection', (socket) => track(state.sockets, socket))
  const port = await listen(server, 0)
  return {
    url: `http://${LOOPBACK}:${port}/v1`,
    requests: state.requests,
    script: (script) => void (state.fallback = script),
    once: (script) => void state.queue.push(script),
    forget: () => forget(state),
    openSockets: () => state.sockets.size,
    refuse: () => stop(server, state.sockets),
    accept: async () => void (await listen(server, port)),
    close: () => stop(server, state.sockets),
  }
}

async function handle(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A connection that breaks while we read or write is what half of these tests are about.
  request.on('error', () => {})
  response.on('error', () => {})
  const recording = record(request)
  state.requests.push(recording)
  const script = state.queue.shift() ?? state.fallback
  const left = watch(recording, response)
  recording.bytes = await readBytes(request)
  recording.text = recording.bytes.toString('utf8')
  recording.body = parsed(recording.text)
  if (left.aborted) return
  const behaviour = typeof script === 'function' ? script(recording) : script
  await deliver({ response, reply: buildReply(behaviour, recording), transport: behaviour, signal: left })
}

/** A mistake in a script must end the test at once, not leave its client waiting. */
function fail(response: ServerResponse, error: unknown): never {
  response.destroy()
  throw error
}

function record(request: IncomingMessage): Recording {
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    text: '',
    bytes: Buffer.alloc(0),
    body: {},
    receivedAtMs: Date.now(),
    closedAtMs: undefined,
    completed: false,
  }
}

/** Notes how the reply ended, and gives a signal for the moment the connection is gone. */
function watch(recording: Recording, response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    recording.completed = response.writableFinished
    if (!recording.completed) recording.closedAtMs = Date.now()
    controller.abort()
  })
  return controller.signal
}

/** What arrived, also when the peer left half-way. */
async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  try {
    for await (const part of request) parts.push(Buffer.from(part))
  } catch {
    // The peer left; the recording says so, and what came before is kept.
  }
  return Buffer.concat(parts)
}

function parsed(text: string): RequestBody {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}

function track(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
}

function forget(state: State): void {
  state.requests.length = 0
  state.queue.length = 0
  state.fallback = ORDINARY
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return (server.address() as AddressInfo).port
}

async function stop(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  if (!server.listening) return
  const ends = [...sockets].map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())))
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const socket of sockets) socket.destroy()
  await Promise.all([closed, ...ends])
}

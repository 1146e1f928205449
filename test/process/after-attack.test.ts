// A Farebox with little memory that is sent more than it has: it lives, and good calls are answered again within ten seconds.

import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { postChat } from '../support/chat.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'

const MIB = 1024 * 1024
const WELL_AGAIN_MS = 10_000

let farebox: FareboxProcess
let key: string
/** Whose bodies are large, and whose credits they use up. */
let attackerKey: string

beforeEach(async () => {
  const dataDir = join(await temporaryFolder(), 'data')
  farebox = await startProcess({ dataDir, env: { NODE_OPTIONS: '--max-old-space-size=256' } })
  key = farebox.firstKey ?? ''
  attackerKey = (await farebox.admin.call('createKey', { body: { name: 'attacker', package: 'starter' } })).key
}, 120_000)
afterEach(() => endProcesses())

const call = async () => (await postChat({ url: farebox.url, key }, { model: 'demo-chat' })).status

/** How long it takes from now until a good call is answered. */
async function wellAgainMs(): Promise<number> {
  const startedMs = performance.now()
  while ((await call()) !== 200) await new Promise((resolve) => setTimeout(resolve, 100))
  return performance.now() - startedMs
}

/** Posts a body with the key; resolves when it was answered or cut. */
async function send(body: Buffer): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${attackerKey}` }
  const init = { method: 'POST', headers, body: new Uint8Array(body) }
  await fetch(`${farebox.url}/v1/chat/completions`, init).then(
    (answer) => answer.arrayBuffer(),
    () => undefined,
  )
}

/** Sends a body to a path that is not there; resolves when the connection has ended. */
async function pushNowhere(): Promise<void> {
  const { host, port } = new URL(farebox.url)
  const socket = connect(Number(port), '127.0.0.1').resume()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`POST /nothing HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${MIB}\r\n\r\n`)
  socket.write(Buffer.alloc(MIB - 1, ' '))
  await closed
}

describe('with a heap of 256 MB', { timeout: 180_000 }, () => {
  const asChat = (piece: string, count: number) =>
    Buffer.from(`{"model":"demo-chat","messages":[{"role":"user","content":"${piece.repeat(count)}"}]}`)

  it.each([
    ['ten million objects', () => Buffer.from(`{"model":"demo-chat","messages":[${'{},'.repeat(10_000_000)}{}]}`)],
    ['one large text', () => asChat('hello world ', 2_600_000)],
    ['one large text of characters of two bytes', () => asChat('hällo wörld ', 2_200_000)],
  ])('many bodies of %s are survived', async (_, body) => {
    const bytes = body()
    await Promise.all(Array.from({ length: 12 }, () => send(bytes)))
    expect(await wellAgainMs()).toBeLessThan(WELL_AGAIN_MS)
  })

  it('a thousand connections with a mebibyte each cost next to nothing', async () => {
    await Promise.all(Array.from({ length: 1000 }, pushNowhere))
    expect(await wellAgainMs()).toBeLessThan(WELL_AGAIN_MS)
  })
})

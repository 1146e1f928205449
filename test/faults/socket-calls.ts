// A call over a WebSocket, seen as the same call over HTTP would be, so that one judge serves both.

import { once } from 'node:events'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { UPGRADE_HEADERS, type SocketEvent } from '../gateway/socket-support.ts'
import type { Farebox } from '../support/farebox.ts'
import type { Run } from './fault.ts'
import type { Seen } from './judge.ts'

type Asked = { readonly key: string; readonly members: object; readonly signal: AbortSignal }

const IS_END = /^response\.(completed|incomplete|failed)$/

/** The connection is opened for this call, and its end is waited for. */
export async function askOverSocket(farebox: Farebox, run: Run, { key, members, signal }: Asked): Promise<Seen> {
  const headers = { ...UPGRADE_HEADERS, authorization: `Bearer ${key}` }
  const url = `${farebox.url.replace(/^http/, 'ws')}${run.format.path}`
  const webSocket = new WebSocket(url, { perMessageDeflate: false, headers })
  await once(webSocket, 'open')
  const texts: string[] = []
  const over = new Promise((resolve) => {
    webSocket.on('message', (data: Buffer) => {
      texts.push(data.toString('utf8'))
      if (isLast(data.toString('utf8'), texts.length)) resolve(undefined)
    })
    webSocket.once('close', resolve)
    signal.addEventListener('abort', resolve)
  })
  webSocket.send(JSON.stringify({ type: 'response.create', ...run.format.body, ...members }))
  await over
  const closed = once(webSocket, 'close')
  if (webSocket.readyState !== WebSocket.CLOSED) {
    webSocket.close()
    await closed
  }
  return seenIn(texts, run)
}

/** An error in place of an answer comes alone. */
function isLast(text: string, count: number): boolean {
  const { type } = JSON.parse(text) as SocketEvent
  return IS_END.test(type) || (type === 'error' && count === 1)
}

function seenIn(texts: readonly string[], { isPassed }: Run): Seen {
  const events = texts.map((text) => JSON.parse(text) as SocketEvent)
  const [first] = events
  if (first?.type === 'error') return errorSeen(first, isPassed)
  const written = events.map(
    ({ type }, at) => `event: ${type}\ndata: ${(texts[at] ?? '').replaceAll(/[\r\n]/g, ' ')}\n\n`,
  )
  const isWhole = /^response\.(completed|incomplete)$/.test(events.at(-1)?.type ?? '')
  return { status: 200, headers: new Headers(), text: written.join('') + (isWhole ? 'data: [DONE]\n\n' : '') }
}

/** Codes are texts here; over HTTP ours are the status. */
function errorSeen(event: SocketEvent, isPassed: boolean): Seen {
  const { status, error, headers } = event as unknown as {
    readonly status: number
    readonly error: Readonly<Record<string, unknown>>
    readonly headers: Readonly<Record<string, string>>
  }
  expect(error['code']).toEqual(expect.any(String))
  const body = isPassed && !('request_id' in error) ? { error } : { error: { ...error, code: status } }
  return {
    status,
    headers: new Headers({ ...headers, 'content-type': 'application/json' }),
    text: JSON.stringify(body),
  }
}

// Providers that do not speak HTTP as they should: heads, lengths and chunks that are wrong, and connections that are closed
// at the wrong moment. All from a bare socket.

import { setTimeout as sleep } from 'node:timers/promises'
import type { RawExchange } from '../support/raw-upstream.ts'
import { buildReply } from '../support/upstream-reply.ts'
import {
  ANSWERED,
  BROKEN,
  FAILED,
  socket,
  TEXT,
  TOO_SLOW,
  type Fault,
  type Provider,
  type Run,
  type Sees,
} from './fault.ts'
import { behindTheEnd, type Kit } from './kits.ts'

type Answer = { readonly type: string; readonly parts: readonly Buffer[]; readonly body: Buffer }

function ordinary(exchange: RawExchange): Answer {
  const { parts, headers } = buildReply(TEXT, exchange)
  return { type: headers['content-type'] ?? '', parts, body: Buffer.concat(parts) }
}

function head(lines: readonly string[], status = '200 OK'): string {
  return `HTTP/1.1 ${status}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`
}

function chunk(data: Buffer, size = data.length.toString(16)): Buffer {
  return Buffer.concat([Buffer.from(`${size}\r\n`), data, Buffer.from('\r\n')])
}

const LAST_CHUNK = '0\r\n\r\n'

/** An answer with these lines in its head, and with a length unless they say one. */
function withHead(lines: readonly string[], status?: string): Provider {
  return socket(async (exchange) => {
    const { type, body } = ordinary(exchange)
    const hasLength = lines.some((line) => /^(content-length|transfer-encoding):/i.test(line))
    const length = hasLength ? [] : [`content-length: ${body.length}`]
    await exchange.write(head([`content-type: ${type}`, ...length, ...lines], status))
    await exchange.write(body)
  })
}

/** What is written instead of an answer, before the connection ends. */
function instead(data: string | Buffer): Provider {
  return socket(async (exchange) => {
    await exchange.write(data)
    exchange.end()
  })
}

/** An answer whose length is wrong by so many bytes, before the connection ends. */
function wrongLength(difference: number): Provider {
  return socket(async (exchange) => {
    const { type, body } = ordinary(exchange)
    await exchange.write(head([`content-type: ${type}`, `content-length: ${body.length + difference}`]))
    await exchange.write(body)
    exchange.end()
  })
}

/** An answer in chunks, of which one is put in the place of the tenth and all that follow. */
function chunked(end: (parts: readonly Buffer[]) => readonly (Buffer | string)[], from = 9): Provider {
  return socket(async (exchange) => {
    const { type, body } = ordinary(exchange)
    const size = Math.ceil(body.length / 13)
    const parts = Array.from({ length: 13 }, (_, index) => body.subarray(index * size, (index + 1) * size))
    await exchange.write(head([`content-type: ${type}`, 'transfer-encoding: chunked']))
    for (const part of parts.slice(0, from)) await exchange.write(chunk(part))
    for (const part of end(parts.slice(from).filter(({ length }) => length > 0))) await exchange.write(part)
    exchange.end()
  })
}

const all = (parts: readonly Buffer[]) => parts.map((part) => chunk(part))

/** An answer with interim answers before it. */
function withInterim(...statuses: readonly string[]): Provider {
  return socket(async (exchange) => {
    await exchange.write(statuses.map((status) => head(['link: </a>'], status)).join(''))
    await answerWhole(exchange)
  })
}

function byMode(whole: Sees, streamed: Sees): (run: Run) => Sees {
  return ({ mode }) => (mode === 'whole' ? whole : streamed)
}

const HEADS: readonly Fault[] = [
  { name: 'what is not HTTP', provider: instead('220 mail.example ESMTP\r\n'), sees: FAILED },
  { name: 'an alert of TLS', provider: instead(Buffer.from([0x15, 3, 1, 0, 2, 2, 80])), sees: FAILED },
  { name: 'a megabyte without a line end', provider: instead('x'.repeat(1_000_000)), sees: FAILED },
  { name: 'half of a head, then the end', provider: instead('HTTP/1.1 200 OK\r\ncontent-ty'), sees: FAILED },
  {
    name: 'half of a head, then a reset',
    provider: socket(async (exchange) => {
      await exchange.write('HTTP/1.1 200 OK\r\ncontent-ty')
      await exchange.reset()
    }),
    sees: FAILED,
  },
  {
    name: 'half of a head, then silence',
    provider: socket(async (exchange) => {
      await exchange.write('HTTP/1.1 200 OK\r\ncontent-ty')
      await exchange.wait(60_000)
    }),
    sees: TOO_SLOW,
    pace: 'slow',
  },
  { name: 'a status of four digits', provider: withHead([], '2000 OK'), sees: FAILED },
  { name: 'a status that is none', provider: withHead([], 'OK'), sees: FAILED },
  { name: 'a status without a reason', provider: withHead([], '200'), sees: ANSWERED },
  { name: 'a header of a megabyte', provider: withHead([`x-long: ${'x'.repeat(1_000_000)}`]), sees: FAILED },
  {
    name: 'thousands of headers',
    provider: withHead(Array.from({ length: 5000 }, (_, index) => `x-header-${index}: ${index}`)),
    sees: FAILED,
  },
  { name: 'a header with a zero byte', provider: withHead(['x-odd: a\u0000b']), sees: FAILED },
  { name: 'a header without a colon', provider: withHead(['this is no header']), sees: FAILED },
  {
    name: 'cookies and headers about the connection',
    provider: withHead(['set-cookie: a=b', 'keep-alive: timeout=1']),
    sees: ANSWERED,
  },
  { name: '102 and 103 before its answer', provider: withInterim('102 Processing', '103 Early Hints'), sees: ANSWERED },
  // The HTTP client takes it for an answer to an Expect that nobody sent, and breaks off.
  { name: '100 before its answer', provider: withInterim('100 Continue'), sees: FAILED },
  {
    name: '101 that nobody asked for',
    provider: instead(head(['upgrade: h2c', 'connection: upgrade'], '101 Switching')),
    sees: FAILED,
  },
  {
    name: '102 again and again',
    provider: socket(async (exchange) => {
      for (;;) {
        await exchange.write(head([], '102 Processing'))
        await exchange.wait(200)
      }
    }),
    sees: TOO_SLOW,
    pace: 'slow',
  },
]

const lengths = (kit: Kit): readonly Fault[] => [
  { name: 'a length that is too long', provider: wrongLength(100), sees: byMode(FAILED, behindTheEnd(kit)) },
  {
    name: 'a length that is too short',
    provider: wrongLength(-20),
    sees: ({ dialect, mode }) => (dialect === 'bedrock-converse' && mode === 'streamed' ? ANSWERED : BROKEN),
  },
  { name: 'a length of 0', provider: withHead(['content-length: 0']), sees: FAILED },
  { name: 'a length below 0', provider: withHead(['content-length: -5']), sees: FAILED },
  { name: 'a length that is no number', provider: withHead(['content-length: many']), sees: FAILED },
  { name: 'two lengths', provider: withHead(['content-length: 10', 'content-length: 20']), sees: FAILED },
  {
    name: 'a length and chunks',
    provider: withHead(['content-length: 10', 'transfer-encoding: chunked']),
    sees: FAILED,
  },
  {
    name: 'chunks with names and trailers',
    provider: chunked((parts) => [...all(parts), '0;name=value\r\nx-trailer: 1\r\n\r\n']),
    sees: ANSWERED,
  },
  { name: 'a first chunk without a size', provider: chunked(() => ['zz\r\nhello\r\n'], 0), sees: FAILED },
  { name: 'a late chunk without a size', provider: chunked(() => ['zz\r\nhello\r\n']), sees: BROKEN },
  {
    name: 'a chunk that is shorter than it says',
    provider: chunked(([part]) => [chunk(part ?? Buffer.alloc(0), 'fff')]),
    sees: BROKEN,
  },
  {
    name: 'a chunk of more than memory holds',
    provider: chunked(() => ['ffffffffffffffff1\r\nhello\r\n']),
    sees: BROKEN,
  },
  { name: 'no last chunk', provider: chunked(all), sees: byMode(FAILED, behindTheEnd(kit)) },
  {
    name: 'more behind its last chunk',
    provider: chunked((parts) => [...all(parts), LAST_CHUNK, 'more']),
    sees: ANSWERED,
  },
  {
    name: 'HTTP/1.0 and an end that is that of the connection',
    provider: socket(async (exchange) => {
      const { type, body } = ordinary(exchange)
      await exchange.write(`HTTP/1.0 200 OK\r\ncontent-type: ${type}\r\n\r\n`)
      await exchange.write(body)
      exchange.end()
    }),
    sees: ANSWERED,
  },
  {
    name: 'half of its body, and an end that is that of the connection',
    provider: socket(async (exchange) => {
      const { type, body } = ordinary(exchange)
      await exchange.write(`HTTP/1.0 200 OK\r\ncontent-type: ${type}\r\n\r\n`)
      await exchange.write(body.subarray(0, body.length / 2))
      exchange.end()
    }),
    sees: BROKEN,
  },
]

async function answerWhole(exchange: RawExchange, ...lines: readonly string[]): Promise<void> {
  const { type, body } = ordinary(exchange)
  await exchange.write(
    Buffer.concat([Buffer.from(head([`content-type: ${type}`, `content-length: ${body.length}`, ...lines])), body]),
  )
}

const CONNECTIONS: readonly Fault[] = [
  {
    name: 'connection: close, and the end at once',
    provider: socket(async (exchange) => {
      await answerWhole(exchange, 'connection: close')
      exchange.end()
    }),
    sees: ANSWERED,
    callsBefore: 2,
  },
  {
    name: 'the end of a connection that it promised to keep',
    provider: socket(async (exchange) => {
      await answerWhole(exchange)
      exchange.end()
    }),
    sees: { type: 'answer-or-502' },
    callsBefore: 1,
  },
  {
    name: 'the end of a kept connection when it is used again',
    provider: socket(async (exchange) => {
      if (exchange.number > 1) return exchange.end()
      await answerWhole(exchange)
    }),
    sees: { type: 'answer-or-502' },
    callsBefore: 1,
  },
  {
    name: 'a reset of a kept connection when it is used again',
    provider: socket(async (exchange) => {
      if (exchange.number > 1) return exchange.reset()
      await answerWhole(exchange)
    }),
    sees: { type: 'answer-or-502' },
    callsBefore: 1,
  },
  {
    name: 'a second answer that nobody asked for',
    provider: socket(async (exchange) => {
      await answerWhole(exchange)
      await exchange.write(head(['content-type: application/json', 'content-length: 19']) + '{"evil":"evil evil"}')
      // Longer than the client takes to ask again, so that it is there when the connection would be used.
      await sleep(5)
    }),
    sees: { type: 'answer-or-502' },
    callsBefore: 1,
  },
]

export function httpFaults(kit: Kit): readonly Fault[] {
  return [...HEADS, ...lengths(kit), ...CONNECTIONS]
}

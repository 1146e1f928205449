// The connection of a gateway to PostgreSQL, over a line that has no end.

import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Connection, FleetUnreachable } from '#fleet/connection.ts'
import { whyUnreachable } from '#fleet/why-unreachable.ts'
import { startPostgres, type Postgres } from '../support/postgres.ts'

let postgres: Postgres

/** Once it is silent nothing arrives at its other end, not even that this one hung up. */
async function silentLine() {
  const target = new URL(postgres.url)
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('data', (bytes) => {
        if (!isSilent) to.write(bytes)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: Object.assign(new URL(target), { port: String(port) }).href,
    silence: () => void (isSilent = true),
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => void server.close(resolve))
    },
  }
}

describe('a connection', () => {
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())

  it('is closed within a bound where the other end says nothing any more, and can be made anew', async () => {
    const line = await silentLine()
    const options = { password: () => undefined, onNotice: () => {}, onLost: () => {} }
    const connection = new Connection({ ...options, url: line.url })
    await connection.open()
    line.silence()
    await connection.close()
    await expect(connection.accounts()).rejects.toThrow(FleetUnreachable)
    await line.close()
    const again = new Connection({ ...options, url: postgres.url })
    await again.open()
    expect(await again.accounts()).toEqual([])
    await again.close()
  })

  it('says why there is none, and never goes on without the TLS that it is to have', async () => {
    const options = { password: () => undefined, onNotice: () => {}, onLost: () => {} }
    const why = (change: Partial<URL>) => {
      const url = Object.assign(new URL(postgres.url), change).href
      const connection = new Connection({ ...options, url })
      return connection.open().then(() => connection.close().then(() => 'open'), whyUnreachable)
    }
    expect(await why({ port: '1' })).toBe(' (nothing listens there)')
    expect(await why({ pathname: '/none' })).toBe(' (it has no such database)')
    expect(await why({ username: 'nobody' })).toBe(' (it does not let the role in)')
    expect(await why({ search: '?sslmode=verify-full' })).toBe(' (it does not speak TLS)')
    expect(await why({})).toBe('open')
  })
})

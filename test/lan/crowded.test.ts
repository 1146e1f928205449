// The LAN while strangers hold thousands of connections open, which cost them nothing.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { askLan, certificateOf, LAN_ADDRESS, startLan, type LanFarebox } from './support.ts'

let farebox: LanFarebox
const open: Socket[] = []
afterEach(async () => {
  for (const socket of open) socket.destroy()
  await farebox.close()
})

it('goes on serving everybody, whoever opens how many connections', { timeout: 120_000 }, async () => {
  farebox = await startLan()
  const { urls } = await farebox.on()
  const url = urls[0] ?? ''
  const ca = await certificateOf(farebox)
  const { port } = new URL(url)
  for (let count = 0; count < 4500; count++) {
    const socket = connect({ host: LAN_ADDRESS, port: Number(port), localAddress: `127.0.1.${1 + (count % 100)}` })
    socket.on('error', () => undefined)
    open.push(socket)
    if (count % 50 === 0) await once(socket, 'connect')
  }
  await once(open.at(-1) as Socket, 'connect')
  for (const from of ['127.0.0.9', '127.0.1.1']) expect((await askLan(`${url}/health`, { ca, from })).status).toBe(200)
})

// The few lines that our own child processes share: listen on loopback, say where in one line, end when told to.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export function announce(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    process.stdout.write(JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${port}` }) + '\n')
  })
  process.once('SIGTERM', () => process.exit(0))
  // A benchmark that was killed must not leave servers behind; its end closes our standard input.
  process.stdin.resume().once('close', () => process.exit(0))
}

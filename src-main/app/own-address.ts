// Where this gateway is reached on this machine, and what proves that somebody belongs to it. Both are made anew at each start.

import { randomBytes } from 'node:crypto'
import { loopbackHosts } from '#server/http/guard.ts'

export class OwnAddress {
  /** The name under which requests in process address the server, so that nobody outside knows it. */
  readonly inProcessHost = `in-process-${randomBytes(16).toString('hex')}`
  /** The names that the server answers to. */
  readonly hosts = new Set([this.inProcessHost])
  /** What the command line presents, and what requests in this process do. */
  readonly adminToken = randomBytes(32).toString('base64url')
  readonly inProcessToken = randomBytes(32).toString('base64url')
  #url: string | undefined

  /** undefined until something listens. */
  get url(): string | undefined {
    return this.#url
  }

  /** Returns the address. */
  listensOn(port: number): string {
    for (const host of loopbackHosts(port)) this.hosts.add(host)
    this.#url = `http://127.0.0.1:${port}`
    return this.#url
  }
}

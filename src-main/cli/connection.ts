// Finds who answers the admin API for a data folder: the gateway that runs on it, or else the store opened in this process.

import { httpTransport, readInstance, type AdminTransport, type Instance } from '#cli/client.ts'
import { CommandFailure } from '#cli/errors.ts'
import type { CommandHost } from '#cli/host.ts'

export type Connection = {
  /** The gateway that runs on the data folder, asked once. */
  readonly instance: () => Promise<Instance | undefined>
  readonly transport: AdminTransport
  /** Closes what was opened, if anything was. */
  readonly close: () => Promise<void>
}

/** Nothing is looked for or opened before the first use, so that a wrong command line never touches the data folder. */
export function openLater(dataDir: string, host: Pick<CommandHost, 'openInProcess'>): Connection {
  let instance: Promise<Instance | undefined> | undefined
  let opened: ReturnType<CommandHost['openInProcess']> | undefined
  const findInstance = () => (instance ??= readInstance(dataDir))

  return {
    instance: findInstance,
    async transport(request) {
      const running = await findInstance()
      if (running !== undefined) return httpTransport(running)(request)
      opened ??= host.openInProcess(dataDir)
      const { transport } = await opened.catch((error: unknown) => {
        throw new CommandFailure('not_opened', error instanceof Error ? error.message : String(error))
      })
      return transport(request)
    },
    async close() {
      // Opening that failed has been reported by the call that asked for it.
      const store = await opened?.catch(() => undefined)
      await store?.close()
    },
  }
}

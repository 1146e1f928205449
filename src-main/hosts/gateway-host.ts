// The gateway as the desktop shell sees it: one in this process, or the one that runs on the data folder already.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { App, AppSurroundings } from '#app/app.ts'
import { openApp } from '#app/open.ts'
import type { Config } from '#config/config.ts'
import { applyConfigFile, explainStart } from '#hosts/headless.ts'
import { adminClient, httpTransport, readInstance, type AdminClient } from '#cli/client.ts'
import type { Log } from '#core/log.ts'
import { describePortOwner } from '#hosts/port-owner.ts'
import type { Gateway, GatewayHost, Reading, Started } from '#shell/gateway-port.ts'
import { DatabaseError } from '#store/database.ts'

/** The calls among which recent errors are looked for. */
const CALLS = '50'

export function gatewayHost(config: Config, log: Log, surroundings?: AppSurroundings): GatewayHost {
  return { start: () => start(config, log, surroundings) }
}

async function start(config: Config, log: Log, surroundings: AppSurroundings | undefined): Promise<Started> {
  let app: App | undefined
  try {
    app = await openApp(config, log, surroundings)
    if (!(await applyConfigFile(app, config, log))) {
      await app.close()
      return { type: 'failed', message: `The file ${config.configFile ?? ''} has mistakes; they were printed.` }
    }
    const url = await app.listen(config.port)
    log(`Farebox listens on ${url}, with its icon in the tray. Data: ${config.dataDir}`)
    return { type: 'running', gateway: ownGateway(app, url, config.dataDir) }
  } catch (error) {
    await app?.close()
    if (error instanceof DatabaseError && error.reason === 'in-use') return attach(config, log)
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      return { type: 'port-taken', port: config.port, owner: await describePortOwner(config.port) }
    }
    return { type: 'failed', message: await explainStart(error, config) }
  }
}

/** One process has a data folder; whoever comes second uses its gateway. */
async function attach({ dataDir }: Config, log: Log): Promise<Started> {
  const instance = await readInstance(dataDir)
  if (instance === undefined) {
    return {
      type: 'failed',
      message: 'Another Farebox uses the data folder, and does not answer. Try again in a moment.',
    }
  }
  log(`A Farebox runs on the data folder already (process ${instance.pid}) and is used: ${instance.url}`)
  const admin = adminClient(httpTransport(instance))
  const gateway: Gateway = {
    ...administered(admin, dataDir),
    url: instance.url,
    otherPid: instance.pid,
    // It cannot be heard from here, so it is looked at from time to time.
    onExchangeEnd: () => () => undefined,
    afterSleep: () => undefined,
    close: async () => undefined,
  }
  return { type: 'running', gateway }
}

function ownGateway(app: App, url: string, dataDir: string): Gateway {
  return {
    ...administered(
      adminClient((request) => app.inject(request)),
      dataDir,
    ),
    url,
    otherPid: undefined,
    onExchangeEnd: (listener) => app.onExchangeEnd(listener),
    afterSleep: () => app.afterSleep(),
    close: async () => void (await app.close()),
  }
}

function administered(admin: AdminClient, dataDir: string): Pick<Gateway, 'read' | 'ticket' | 'pause' | 'resume'> {
  return {
    read: () => read(admin, dataDir),
    ticket: async () => (await admin.call('makeTicket', {})).ticket,
    pause: async (minutes) => void (await admin.call('pause', { body: { minutes } })),
    resume: async () => void (await admin.call('resume', {})),
  }
}

async function read(admin: AdminClient, dataDir: string): Promise<Reading> {
  const [status, keys, { usage }, alerts, overview, { settings }] = await Promise.all([
    admin.call('status', {}),
    admin.call('listKeys', {}),
    admin.call('usage', { query: { limit: CALLS, status: 'failed', since: '24h' } }),
    admin.call('listAlerts', {}),
    admin.call('overview', {}),
    admin.call('showSettings', {}),
  ])
  const language = settings.find(({ name }) => name === 'language')?.value ?? 'system'
  return { status, keys, calls: usage, alerts, overview, tools: await toolsOf(dataDir, keys), language }
}

/** All that is known of the ways to connect tools is loaded only where one was connected. */
async function toolsOf(dataDir: string, keys: Reading['keys']): Promise<Reading['tools']> {
  if (!existsSync(join(dataDir, 'connections'))) return []
  const { connectedTools } = await import('#connect/list.ts')
  return connectedTools(dataDir, keys)
}

// The host without a display: starts the app, prints where it listens, ends it cleanly on a signal.

import type { App, AppSurroundings } from '#app/app.ts'
import { openApp } from '#app/open.ts'
import { readConfig, VERSION, type Config } from '#config/config.ts'
import { homeFolder } from '#config/home-folder.ts'
import { describeFault } from '#app/faults.ts'
import { OWN_COMMAND } from '#config/program-files.ts'
import { openLog, type Log } from '#core/log.ts'
import { leave } from '#hosts/leave.ts'
import { describePortOwner } from '#hosts/port-owner.ts'
import { dataFolderProblem } from '#store/data-folder.ts'
import { DatabaseError } from '#store/database.ts'

/**
 * Starts Farebox with the flags of `farebox start`; comes back when it listens. Ends the process where it cannot. `whyNoTray` completes
 * "without a tray icon: …"; undefined where nobody expects one.
 */
export async function startHeadless(argv: string[], whyNoTray?: string, surroundings?: AppSurroundings): Promise<void> {
  const read = readConfig({ argv, env: process.env, platform: process.platform, homeDir: homeFolder() })
  if (read.type === 'mistake') return fail(read.message)
  const { config } = read
  const log = logOf(config)
  reportMistakes(log, config)
  let app: App | undefined
  try {
    app = await openApp(config, log, {
      tools: { home: homeFolder(), env: process.env, platform: process.platform },
      ...surroundings,
    })
    if (!(await applyConfigFile(app, config, log))) return void (await app.close())
    const url = await app.listen(config.port)
    // The first key is shown only once, so it is not made before anything that can still fail.
    const firstKey = await app.setUpDemo()
    // Whoever reads that it is ready may end it at once.
    closeOnSignal(app, { log, config })
    const dashboard = config.json || config.log === 'text' ? await app.dashboardUrl() : undefined
    announce({ url, firstKey, dashboard, config, whyNoTray })
    if (config.log === 'json')
      log(`Farebox listens on ${url}.`, { event: 'listening', fields: { url, version: VERSION } })
  } catch (error) {
    await app?.close()
    log(await explainStart(error, config), { event: 'start_failed', level: 'error' })
    process.exitCode = 1
  }
}

/** What happens goes to standard error: standard output belongs to the line that says where Farebox listens. */
function logOf({ log: format, logLevel: level }: Config): Log {
  return openLog({ format, level, nowMs: Date.now, write: (line) => void process.stderr.write(line) })
}

/**
 * What nobody caught ends the process, as it would anyway, but without its message, which could quote a request. Warnings of Node's
 * own are events too where a machine reads them.
 */
function reportMistakes(log: Log, { log: format }: Config): void {
  process.on('uncaughtException', (error) => {
    const fault = describeFault(error)
    log(`Farebox stops because of a fault of its own: ${fault}`, { event: 'crash', level: 'error', fields: { fault } })
    process.exit(1)
  })
  if (format === 'text') return
  process.removeAllListeners('warning')
  process.on('warning', ({ name }) => log(`Node warns: ${name}`, { event: 'runtime_warning', level: 'warning' }))
}

/** Applies `--config FILE` like `farebox apply`. False where the file has mistakes, which are printed. */
export async function applyConfigFile(app: App, config: Config, log: Log): Promise<boolean> {
  if (config.configFile === undefined) return true
  const { commandHost } = await import('#hosts/command.ts')
  const { runCommand } = await import('#cli/run.ts')
  const host = commandHost(async () => ({ transport: (request) => app.inject(request), close: async () => undefined }))
  // Standard output belongs to the line that says where Farebox listens.
  const print = (output: string) => (config.log === 'text' ? host.stderr(output) : logLines(output, log))
  const quietHost = { ...host, dataDir: () => config.dataDir, stdout: print, stderr: print }
  const exitCode = await runCommand(['apply', '-f', config.configFile], quietHost)
  if (exitCode !== 0) process.exitCode = 1
  return exitCode === 0
}

function logLines(output: string, log: Log): void {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  for (const line of lines) log(line, { event: 'config_applied' })
}

type Announcement = {
  readonly url: string
  readonly firstKey: string | undefined
  /** Undefined where nobody reads it. */
  readonly dashboard: string | undefined
  readonly config: Config
  readonly whyNoTray: string | undefined
}

function announce({ url, firstKey, dashboard, config, whyNoTray }: Announcement): void {
  if (config.json) {
    const line = {
      event: 'listening',
      url,
      dashboard,
      pid: process.pid,
      ...(firstKey === undefined ? {} : { first_key: firstKey }),
    }
    process.stdout.write(`${JSON.stringify(line)}\n`)
    return
  }
  const why = whyNoTray === undefined ? '' : ` without a tray icon: ${whyNoTray}`
  process.stdout.write(`Farebox listens on ${url}${why}. Data: ${config.dataDir}\n`)
  process.stdout.write(`Dashboard: ${dashboard ?? `${url}/`}\n`)
  if (dashboard !== undefined) {
    process.stdout.write(`  This link signs you in once, within a minute; '${OWN_COMMAND} open' makes another.\n`)
  }
  if (firstKey === undefined) return
  process.stdout.write(
    `\nNo provider is set up, so here is a demo: models demo-chat and demo-embedding, which call nobody.\n` +
      `Your first key, shown only once: ${firstKey}\n\n` +
      `Try it:\n  curl ${url}/v1/chat/completions -H "Authorization: Bearer ${firstKey}" \\\n` +
      `    -H "Content-Type: application/json" \\\n` +
      `    -d '{"model":"demo-chat","messages":[{"role":"user","content":"Hello"}]}'\n` +
      `  curl ${url}/v1/balance -H "Authorization: Bearer ${firstKey}"\n`,
  )
}

/** The first signal lets running answers finish; a second one ends the process where it stands. */
function closeOnSignal(app: App, { log, config }: { readonly log: Log; readonly config: Config }): void {
  let isClosing = false
  const close = () => {
    if (isClosing) leave(1)
    isClosing = true
    if (config.log === 'json') log('Farebox ends, and lets running answers finish.', { event: 'draining' })
    app.close().then(
      (hasEnded) => {
        if (config.log === 'json') log('Farebox has ended.', { event: 'stopped' })
        if (hasEnded) process.exit(0)
        else leave(0)
      },
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', close)
  process.on('SIGINT', close)
}

/** A sentence about why Farebox could not start. */
export async function explainStart(error: unknown, config: Config): Promise<string> {
  if (!(error instanceof Error)) return 'Farebox could not start.'
  const code = 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') {
    const owner = await describePortOwner(config.port)
    return `Port ${config.port} is taken by ${owner}. Stop it, or choose another port with --port.`
  }
  const isPort = 'syscall' in error && error.syscall === 'listen'
  if (isPort && (code === 'EACCES' || code === 'EPERM'))
    return `Farebox may not listen on port ${config.port} (${code}). Choose another one with --port.`
  const problem = isPort ? undefined : dataFolderProblem(config.dataDir, error)
  if (problem !== undefined) return `Farebox could not start: ${problem}`
  const isInUse = error instanceof DatabaseError && error.reason === 'in-use'
  const holder = isInUse ? await describeHolder(config.dataDir) : ''
  return `Farebox could not start: ${error.message}${holder}`
}

/**
 * Who has the data folder, as a sentence with a space before it; empty where that is unknown. A note that a dead gateway left may lead
 * to another one by now, so that the gateway itself is asked who it is.
 */
async function describeHolder(dataDir: string): Promise<string> {
  const { adminClient, httpTransport, readInstance } = await import('#cli/client.ts')
  const noted = await readInstance(dataDir)
  if (noted === undefined) return ''
  const status = await adminClient(httpTransport(noted))
    .call('status', {})
    .catch(() => undefined)
  return status?.pid === noted.pid ? ` It listens on ${noted.url} as process ${noted.pid}.` : ''
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

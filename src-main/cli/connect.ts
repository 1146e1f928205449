// farebox connect, disconnect and launch: tools of this machine, and the gateway that they are to use.

import type { AdminClient } from '#cli/client.ts'
import { CommandFailure, UsageError } from '#cli/errors.ts'
import { listOrNone, text, toggle } from '#cli/flags.ts'
import type { Sources } from '#cli/host.ts'
import { printable, printableLines, tableOf, time, view, type Columns, type Output } from '#cli/output.ts'
import { powershellText, shellWord } from '#cli/shell-word.ts'
import { verb } from '#cli/verb.ts'
import type { Gateway, KeyLabels } from '#connect/gateway.ts'
import type * as ConnectTools from '#connect/tools.ts'
import type { LaunchView, Workshop } from '#connect/tools.ts'
import type { ToolConnection, ToolDisconnection, ToolView } from '#contract/tools.ts'

const WISHES = { package: text, key: text, model: text, small_model: text, project: text, tags: listOrNone } as const
const WISHES_USAGE = '[--package P] [--key NAME] [--model ID] [--small-model ID] [--project P] [--tags A,B]'

const connect = verb({
  name: 'connect',
  usage: `TOOL ${WISHES_USAGE} [--dry-run] | --list`,
  summary: 'has a tool use Farebox by its own settings, or lists the tools',
  operand: 'TOOL',
  isOperandOptional: true,
  flags: { ...WISHES, dry_run: toggle, list: toggle },
  async run(client, { name, flags, sources }) {
    if (flags.list === true) return listing(client, sources)
    if (name === '') throw new UsageError("'connect' needs a TOOL, or --list.")
    return inWorkshop(client, sources, async ({ connectTool }, workshop) => {
      const wish = { tool: name, ...wishOf(flags), isDryRun: flags.dry_run === true }
      const done = await connectTool(workshop, wish)
      return view(done, connectText(done, wish.isDryRun))
    })
  },
})

const disconnect = verb({
  name: 'disconnect',
  usage: 'TOOL | --all',
  summary: "takes back exactly what was written into a tool's settings",
  operand: 'TOOL',
  isOperandOptional: true,
  flags: { all: toggle },
  run: (client, { name, flags, sources }) =>
    inWorkshop(client, sources, async ({ disconnectAll, disconnectTool }, workshop) => {
      if ((name === '') !== (flags.all === true)) throw new UsageError("'disconnect' needs a TOOL, or --all.")
      const done = flags.all === true ? await disconnectAll(workshop) : [await disconnectTool(workshop, name)]
      const value = flags.all === true ? done : done[0]
      const said = done.map(disconnectText).join('\n\n') || 'No tool is connected.'
      const hasProblem = done.some(({ problems }) => problems.length > 0)
      return { ...view(value, said), ...(hasProblem && { exitCode: 1 }) }
    }),
})

const launch = verb({
  name: 'launch',
  usage: `TOOL ${WISHES_USAGE} [--print] [-- ARGS]`,
  summary: 'starts a tool that uses Farebox this once, and writes to none of its files',
  operand: 'TOOL',
  hasArguments: true,
  flags: { ...WISHES, print: toggle },
  async run(client, { name, flags, rest, sources }) {
    if (flags.print !== true && (await client.call('status', {})).url === null) {
      throw new CommandFailure('stopped', "No gateway runs on this data folder. Start one with 'farebox start'.")
    }
    return inWorkshop(client, sources, async ({ launchTool }, workshop) => {
      const { command, env } = await launchTool(workshop, { tool: name, ...wishOf(flags) })
      const whole = { command: [...command, ...rest], env }
      if (flags.print === true) return view(whole, launchText(whole, sources.platform))
      const exitCode = await sources.runProgram(whole.command, env)
      if (typeof exitCode === 'number') return { type: 'ran', exitCode }
      const problem =
        exitCode === 'not_found'
          ? `There is no program '${command[0]}' on the path.`
          : `'${command[0]}' is a command file, and Windows cannot give it a word with a line break. Use a model and words without one.`
      throw new CommandFailure(exitCode === 'not_found' ? 'not_installed' : 'invalid', problem)
    })
  },
})

export const CONNECT_VERBS = [connect, disconnect, launch]

type Wishes = { package?: string; key?: string; model?: string; small_model?: string } & KeyLabels

function wishOf({ package: packageName, key, model, small_model: small, project, tags }: Wishes) {
  const labels = { ...(project !== undefined && { project }), ...(tags !== undefined && { tags }) }
  return { key: { name: key, package: packageName, labels }, models: { model, small } }
}

/** The editors of all formats are loaded by whoever connects something, and by nobody else. */
export async function inWorkshop(
  client: AdminClient,
  sources: Sources,
  work: (tools: typeof ConnectTools, workshop: Workshop) => Promise<Output>,
): Promise<Output> {
  const [tools, { Refused }] = await Promise.all([import('#connect/tools.ts'), import('#connect/format.ts')])
  const { env, homeDir, platform, folder } = sources
  const surroundings = { env, home: homeDir, platform }
  try {
    const gateway = gatewayOf(client)
    return await work(tools, {
      dataDir: folder,
      surroundings,
      gateway,
      nowMs: Date.now,
      lock: () => sources.lockConnections(),
    })
  } catch (error) {
    if (error instanceof Refused) throw new CommandFailure(error.reason, error.message)
    throw error
  }
}

function gatewayOf(client: AdminClient): Gateway {
  return {
    url: () => ownAddress(client),
    models: () => client.call('listModels', {}),
    packages: () => client.call('listPackages', {}),
    keys: () => client.call('listKeys', {}),
    createKey: (wanted) => client.call('createKey', { body: { ...wanted, expires: 'never' } }),
    rotateKey: (id) => client.call('rotateKey', { id, body: { overlap: 'none', expires: 'never' } }),
    moveKey: (id, packageName) => client.call('moveKey', { id, body: { package: packageName } }),
    editKey: (id, labels) => client.call('editKey', { id, body: labels }),
    suspendKey: (id) => client.call('suspendKey', { id }),
    resumeKey: (id) => client.call('resumeKey', { id }),
  }
}

/** Where the gateway listens, or will listen when it is started. */
export async function ownAddress(client: AdminClient): Promise<string> {
  const { url } = await client.call('status', {})
  if (url !== null) return url
  const { settings } = await client.call('showSettings', {})
  return `http://127.0.0.1:${settings.find(({ name }) => name === 'port')?.value ?? '3273'}`
}

const COLUMNS: Columns<ToolView> = {
  TOOL: ({ tool }) => tool,
  NAME: ({ name }) => name,
  INSTALLED: ({ installed, version }) => (installed ? (version ?? 'yes') : null),
  CONNECTED: ({ connected, files }) => (connected ? 'yes' : files.length > 0 ? 'waits for a request' : null),
  'LAST REQUEST': ({ last_request_at: at }) => time(at),
  FILES: ({ files }) => files.join(', ') || null,
}

function listing(client: AdminClient, sources: Sources): Promise<Output> {
  return inWorkshop(client, sources, async (_, workshop) => {
    const { listTools } = await import('#connect/list.ts')
    const tools = await listTools(workshop)
    return view(tools, tableOf(COLUMNS, tools, 'There are no tools.'))
  })
}

function connectText({ tool, changes, key_name: key, next }: ToolConnection, isDryRun: boolean): string {
  const does = isDryRun ? 'would be changed' : 'is changed'
  const files = changes.map(({ file, diff }) => `${printable(file)} ${does}:\n${printableLines(shownText(diff))}`)
  const keys = isDryRun ? `Its key would be '${key}'.` : `Its key is '${key}'.`
  return [
    ...files,
    printable(keys),
    ...next.map(printable),
    ...(isDryRun ? [] : [`To take it back: farebox disconnect ${tool}`]),
  ].join('\n')
}

/** Tabs and the line ends of Windows as a terminal can show them. */
function shownText(diff: string): string {
  return diff.replaceAll('\r', '').replaceAll('\t', '    ')
}

function disconnectText({ tool, changes, problems, next }: ToolDisconnection): string {
  const files = changes.map(({ file }) => `${printable(file)} is as it was.`)
  const done =
    files.length === 0 && problems.length === 0 ? [`Nothing of ${printable(tool)} was to be taken back.`] : files
  return [...done, ...problems.map(printable), ...next.map(printable)].join('\n')
}

/** Lines for PowerShell on Windows, and for a POSIX shell elsewhere. */
function launchText({ command, env }: LaunchView, platform: NodeJS.Platform): string {
  if (platform !== 'win32') {
    const settings = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value, platform)}`)
    return [...settings, ...command.map((word) => shellWord(word, platform))].join(' ')
  }
  const settings = Object.entries(env).map(([name, value]) => `$env:${name} = ${powershellText(value)}`)
  return [...settings, ['&', ...command.map(powershellText)].join(' ')].join('\n')
}

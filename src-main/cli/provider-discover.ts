// farebox provider discover

import { UsageError } from '#cli/errors.ts'
import { text, toggle, type FlagTable, type FlagValues } from '#cli/flags.ts'
import { KINDS, kindText } from '#cli/kind-text.ts'
import { printable, table, view } from '#cli/output.ts'
import { requestBody } from '#cli/request.ts'
import { shellWord } from '#cli/shell-word.ts'
import { verb } from '#cli/verb.ts'
import type { DiscoveryView } from '#contract/discovery.ts'

type Server = DiscoveryView['servers'][number]

const STATES: Readonly<Record<Server['state'], string>> = {
  found: 'found',
  'needs-key': 'found, wants a secret',
  'not-found': 'not found',
}

const FLAGS = { add: toggle, kind: text, ports: text } satisfies FlagTable

const discover = verb({
  name: 'provider discover',
  usage: `[--add] [--kind ${KINDS}] [--ports NAME=PORT,…]`,
  summary: 'looks for Ollama, LM Studio, llama.cpp and vLLM on this machine, and adds them with their models',
  flags: FLAGS,
  async run(client, { flags, sources }) {
    const fields = { add: flags.add === true ? 'all' : undefined, kind: flags.kind, ports: portsOf(flags.ports) }
    const found = await client.call('discover', { body: requestBody('discover', fields) })
    return view(found, textOf(found, { ...flags, platform: sources.platform }))
  },
})

export const DISCOVER_VERBS = [discover]

/** Of a kind that is named several times all ports are looked at. */
function portsOf(list: string | undefined): Record<string, number | number[]> | undefined {
  if (list === undefined) return undefined
  const ports = new Map<string, number | number[]>()
  for (const entry of list.split(',')) {
    const [, name, port] = /^\s*([a-z-]+)=(\d{1,5})\s*$/.exec(entry) ?? []
    if (name === undefined || port === undefined) throw new UsageError('--ports takes NAME=PORT,… .')
    const before = ports.get(name)
    ports.set(name, before === undefined ? Number(port) : [before, Number(port)].flat())
  }
  return Object.fromEntries(ports)
}

type Flags = FlagValues<typeof FLAGS> & { readonly platform: NodeJS.Platform }

function textOf(found: DiscoveryView, flags: Flags): string {
  const { servers } = found
  const rows = servers.map((server) => [server.name, STATES[server.state], server.base_url, server.provider])
  const models = servers.flatMap((server) =>
    server.models.map((model) => [server.name, model.name, kindText(model), model.context_window, model.model]),
  )
  const parts = [table(['SERVER', 'STATE', 'BASE URL', 'PROVIDER'], rows, 'Nothing was looked for.')]
  if (models.length > 0) parts.push(table(['SERVER', 'MODEL', 'KIND', 'CONTEXT', 'CALLED HERE'], models, ''))
  return [...parts, ...servers.flatMap((server) => lockedLine(server, flags)), conclusion(found, flags)].join('\n\n')
}

/** A server that wants a secret cannot be added without one, and here is no place to give it. */
function lockedLine({ id, name, state, base_url, provider, name_here }: Server, { platform }: Flags): string[] {
  if (state !== 'needs-key' || provider !== null) return []
  const word = shellWord(name_here, platform)
  const command = `farebox provider add ${word} --preset ${id} --base-url ${base_url} --secret-stdin`
  return [`${name} wants a secret. Add it with: ${command}`]
}

function conclusion({ servers, added }: DiscoveryView, { add, kind, ports, platform }: Flags): string {
  if (servers.every(({ state }) => state === 'not-found')) return 'No model server answers on this machine.'
  const isNew = servers.some(
    ({ state, provider, models }) =>
      state === 'found' &&
      (provider === null || models.some(({ model, tells_context }) => model === null || tells_context)),
  )
  if (add !== true) {
    const said = { kind, ports }
    const again = Object.entries(said).flatMap(([name, value]) =>
      value === undefined ? [] : ` --${name} ${shellWord(value, platform)}`,
    )
    const sameAgain = `farebox provider discover --add${again.join('')}`
    return isNew ? `To add what is new, at a price of 0: ${sameAgain}` : 'Nothing is new.'
  }
  const { providers, models, contexts } = added
  const isAdded = providers.length + models.length > 0
  const learnt = contexts.map(printable).join(', ')
  const lines = [
    ...(isAdded ? [`Added ${listed('provider', providers)} and ${listed('model', models)}.`] : []),
    ...(contexts.length === 0 ? [] : [`A context window that had been assumed is now known: ${learnt}.`]),
  ]
  return lines.length === 0 ? 'There was nothing new to add.' : lines.join('\n')
}

function listed(kind: string, names: readonly string[]): string {
  if (names.length === 0) return `no ${kind}`
  return `${names.length === 1 ? kind : `${kind}s`} ${names.map(printable).join(', ')}`
}

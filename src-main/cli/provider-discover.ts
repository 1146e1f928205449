// farebox provider discover

import { UsageError } from '#cli/errors.ts'
import { text, toggle } from '#cli/flags.ts'
import { printable, table, view } from '#cli/output.ts'
import { requestBody } from '#cli/request.ts'
import { verb } from '#cli/verb.ts'
import type { DiscoveryView } from '#contract/discovery.ts'

type Server = DiscoveryView['servers'][number]

const STATES: Readonly<Record<Server['state'], string>> = {
  found: 'found',
  'needs-key': 'found, wants a secret',
  'not-found': 'not found',
}

const discover = verb({
  name: 'provider discover',
  usage: '[--add] [--ports NAME=PORT,…]',
  summary: 'looks for Ollama, LM Studio, llama.cpp and vLLM on this machine, and adds them with their models',
  flags: { add: toggle, ports: text },
  async run(client, { flags }) {
    const fields = { add: flags.add === true ? 'all' : undefined, ports: portsOf(flags.ports) }
    const found = await client.call('discover', { body: requestBody('discover', fields) })
    return view(found, textOf(found, flags.add === true))
  },
})

export const DISCOVER_VERBS = [discover]

function portsOf(list: string | undefined): Record<string, number> | undefined {
  if (list === undefined) return undefined
  const entries = list.split(',').map((entry): [string, number] => {
    const [, name, port] = /^\s*([a-z-]+)=(\d{1,5})\s*$/.exec(entry) ?? []
    if (name === undefined || port === undefined) throw new UsageError('--ports takes NAME=PORT,… .')
    return [name, Number(port)]
  })
  return Object.fromEntries(entries)
}

function textOf(found: DiscoveryView, isAdding: boolean): string {
  const { servers } = found
  const rows = servers.map((server) => [server.name, STATES[server.state], server.base_url, server.provider])
  const models = servers.flatMap((server) =>
    server.models.map((model) => [server.name, model.name, model.kind, model.context_window, model.model]),
  )
  const parts = [table(['SERVER', 'STATE', 'BASE URL', 'PROVIDER'], rows, 'Nothing was looked for.')]
  if (models.length > 0) parts.push(table(['SERVER', 'MODEL', 'KIND', 'CONTEXT', 'CALLED HERE'], models, ''))
  return [...parts, ...servers.flatMap(lockedLine), conclusion(found, isAdding)].join('\n\n')
}

/** A server that wants a secret cannot be added without one, and here is no place to give it. */
function lockedLine({ id, name, state, base_url, provider }: Server): string[] {
  if (state !== 'needs-key' || provider !== null) return []
  const command = `farebox provider add ${id} --dialect chat-completions --base-url ${base_url} --secret-stdin`
  return [`${name} wants a secret. Add it with: ${command}`]
}

function conclusion({ servers, added }: DiscoveryView, isAdding: boolean): string {
  if (servers.every(({ state }) => state === 'not-found')) return 'No model server answers on this machine.'
  const isNew = servers.some(
    ({ state, provider, models }) =>
      state === 'found' && (provider === null || models.some(({ model }) => model === null)),
  )
  if (!isAdding)
    return isNew ? 'To add what is new, at a price of 0: farebox provider discover --add' : 'Nothing is new.'
  if (added.providers.length + added.models.length === 0) return 'There was nothing new to add.'
  return `Added ${listed('provider', added.providers)} and ${listed('model', added.models)}.`
}

function listed(kind: string, names: readonly string[]): string {
  if (names.length === 0) return `no ${kind}`
  return `${names.length === 1 ? kind : `${kind}s`} ${names.map(printable).join(', ')}`
}

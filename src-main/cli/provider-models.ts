// farebox provider presets, farebox provider models, and the offer that follows `provider add --preset`.

import { AdminError, type AdminClient } from '#cli/client.ts'
import { UsageError } from '#cli/errors.ts'
import { number, text, type Flag, type FlagTable, type FlagValues } from '#cli/flags.ts'
import type { Sources } from '#cli/host.ts'
import { KINDS, kindText } from '#cli/kind-text.ts'
import { printable, table, view } from '#cli/output.ts'
import { requestBody } from '#cli/request.ts'
import { shellWord } from '#cli/shell-word.ts'
import { verb } from '#cli/verb.ts'
import type { ModelOffer, ProviderModelsAdded } from '#contract/provider-models.ts'
import type { ProviderView } from '#contract/providers.ts'

/** `all`, `none`, or the names of models with commas between them. */
const whichModels: Flag<'all' | 'none' | string[]> = {
  type: 'string',
  read: ([only = ''], name) => {
    if (only === 'all' || only === 'none') return only
    const names = only.split(',').map((part) => part.trim())
    if (names.includes('')) throw new UsageError(`${name} takes all, none, or models with commas between them.`)
    return names
  },
}

export const ENABLE_FLAGS = {
  enable: whichModels,
  kind: text,
  context_window: number,
  max_output_tokens: number,
} satisfies FlagTable
export const ENABLE_USAGE = `--enable MODEL,…|all|none [--kind ${KINDS}] [--context-window N] [--max-output-tokens N]`

export const presets = verb({
  name: 'provider presets',
  usage: '',
  summary: 'lists the providers that can be added by a preset',
  flags: {},
  async run(client) {
    const all = await client.call('listPresets', {})
    const rows = all.map((preset) => [
      preset.id,
      preset.display_name,
      preset.dialect,
      Object.keys(preset.dialects)
        .filter((dialect) => dialect !== preset.dialect)
        .join(', ') || null,
      preset.dialects[preset.dialect]?.base_url ?? null,
      preset.secret,
      preset.key_url,
    ])
    const headers = ['PRESET', 'PROVIDER', 'DIALECT', 'ALSO', 'BASE URL', 'SECRET', 'WHERE TO GET ONE']
    return view(all, table(headers, rows, 'There are no presets.'))
  },
})

export const models = verb({
  name: 'provider models',
  usage: `NAME [${ENABLE_USAGE}]`,
  summary: "lists a provider's own models, and adds those that are named",
  operand: 'NAME',
  flags: ENABLE_FLAGS,
  async run(client, { name, flags, sources }) {
    const { enable } = flags
    if (enable !== undefined && enable !== 'none') {
      const added = await add(client, { id: name, which: enable, flags })
      return view(added, addedText(added))
    }
    const listed = await client.call('listProviderModels', { id: name })
    if (enable === 'none' || sources.ask === undefined) return view(listed, listText(listed.models))
    const which = await askWhich(listed.models, sources)
    if (which === undefined) return view(listed, 'No models are added.')
    const added = await add(client, { id: name, which, flags })
    return view(added, addedText(added))
  },
})

export type Chosen = { readonly text: string; readonly value: ProviderModelsAdded | undefined }

type Choosing = {
  readonly provider: ProviderView
  readonly flags: FlagValues<typeof ENABLE_FLAGS>
  readonly sources: Pick<Sources, 'ask' | 'platform'>
}

/** Offers the models of a provider that was just added. Nothing here undoes the adding: what fails is said. */
export async function chooseModels(client: AdminClient, { provider, flags, sources }: Choosing): Promise<Chosen> {
  const { enable } = flags
  if (enable === 'none') return nothing('')
  const later = `farebox provider models ${shellWord(provider.name, sources.platform)}`
  const missing = provider.has_secret ? undefined : await missingSecret(client, provider, sources.platform)
  if (missing !== undefined) return nothing(`${missing}\nThen: ${later}`)
  try {
    if (enable !== undefined) return chosen(await add(client, { id: provider.id, which: enable, flags }))
    const { models: offers } = await client.call('listProviderModels', { id: provider.id })
    const addable = offers.filter(isAddable)
    if (sources.ask === undefined) {
      const command =
        addable.length === 0 ? '' : `\nTo add all of them (or some, by their names with commas): ${later} --enable all`
      return nothing(`${listText(offers)}${command}`)
    }
    const which = await askWhich(offers, sources)
    if (which === undefined) return nothing(`No models are added. Later: ${later}`)
    return chosen(await add(client, { id: provider.id, which, flags }))
  } catch (error) {
    if (!(error instanceof AdminError)) throw error
    return nothing(`Its models could not be listed. ${printable(error.message)} Later: ${later}`)
  }
}

function nothing(text: string): Chosen {
  return { text, value: undefined }
}

function chosen(added: ProviderModelsAdded): Chosen {
  return { text: addedText(added), value: added }
}

/** What to do about a secret that the provider needs and does not have. */
async function missingSecret(
  client: AdminClient,
  provider: ProviderView,
  platform: NodeJS.Platform,
): Promise<string | undefined> {
  const preset = (await client.call('listPresets', {})).find(({ id }) => id === provider.preset)
  if (preset?.secret !== 'required') return undefined
  const where = preset.key_url === null ? '' : ` Get one at ${preset.key_url} and`
  const set = `set it with: farebox provider secret ${shellWord(provider.name, platform)} --secret-stdin`
  return `${preset.display_name} needs a secret.${where === '' ? ` S${set.slice(1)}` : `${where} ${set}`}`
}

type Adding = {
  readonly id: string
  readonly which: 'all' | readonly string[]
  readonly flags: FlagValues<typeof ENABLE_FLAGS>
}

function add(client: AdminClient, { id, which, flags }: Adding): Promise<ProviderModelsAdded> {
  const { kind, context_window, max_output_tokens } = flags
  const body = requestBody('addProviderModels', { models: which, kind, context_window, max_output_tokens })
  return client.call('addProviderModels', { id, body })
}

const MAX_QUESTIONS = 3

/** The models that a person picks from the list by their numbers; undefined for none. */
async function askWhich(
  offers: readonly ModelOffer[],
  { ask }: Pick<Sources, 'ask'>,
): Promise<'all' | string[] | undefined> {
  const addable = offers.filter(isAddable)
  if (ask === undefined || addable.length === 0) return undefined
  const question = 'Which models should be added? Numbers with commas between them, all, or nothing for none: '
  for (let asked = 0; asked < MAX_QUESTIONS; asked++) {
    const answer = (await ask(asked === 0 ? `${listText(offers)}\n${question}` : question)).trim()
    if (answer === '' || answer === 'none') return undefined
    if (answer === 'all') return 'all'
    const picked = answer.split(/[\s,]+/).map((text) => (/^\d+$/.test(text) ? addable[Number(text) - 1] : undefined))
    if (picked.every((offer) => offer !== undefined)) return picked.map(({ model }) => model)
  }
  return undefined
}

function isAddable({ state }: ModelOffer): boolean {
  return state === 'ready' || state === 'unpriced' || state === 'no-limits'
}

const STATES: Readonly<Record<ModelOffer['state'], string>> = {
  ready: 'ready',
  unpriced: 'no price: would be added disabled',
  'no-limits': 'needs --context-window',
  unsupported: 'cannot be served',
  added: 'added already',
}

/** Those that can be added have the numbers by which they are picked. */
function listText(offers: readonly ModelOffer[]): string {
  let count = 0
  const rows = offers.map((offer) => [
    isAddable(offer) ? String((count += 1)) : '',
    offer.model,
    offer.id === offer.model ? '' : offer.id,
    kindText(offer),
    offer.context_window,
    offer.max_output_tokens,
    offer.price?.input ?? null,
    offer.price?.output ?? null,
    offer.price_source,
    [STATES[offer.state], ...(offer.note === null ? [] : [offer.note])].join('. '),
  ])
  const headers = ['', 'MODEL', 'NAME HERE', 'KIND', 'CONTEXT', 'OUTPUT', 'IN', 'OUT', 'PRICE FROM', 'STATE']
  return table(headers, rows, 'The provider lists no models.')
}

function addedText({ added, skipped, contexts = [] }: ProviderModelsAdded): string {
  const enabled = added.filter((model) => model.enabled)
  const disabled = added.filter((model) => !model.enabled)
  const names = (list: readonly { readonly id: string }[]) => list.map(({ id }) => printable(id)).join(', ')
  const lines = [
    ...(enabled.length === 0 ? [] : [`Enabled: ${names(enabled)}.`]),
    ...(disabled.length === 0
      ? []
      : [
          `Added without a price, so disabled: ${names(disabled)}. Give each a price and enable it: farebox model price ID, farebox model enable ID`,
        ]),
    ...(contexts.length === 0 ? [] : [`A context window that had been assumed is now known: ${names(contexts)}.`]),
    ...skipped.map(({ model, reason }) => `Not added: ${printable(model)}. ${printable(reason)}`),
  ]
  return lines.length === 0 ? 'No models are added.' : lines.join('\n')
}

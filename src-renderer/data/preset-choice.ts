// What has to be asked for when a provider is made from a preset.

import { isNearAddress } from '#contract/link.ts'
import type { Preset } from '#contract/presets.ts'
import type { ModelOffer } from '#contract/provider-models.ts'

/** The base URL to start from; a person fills in what stands in braces. */
export function baseUrlOf(preset: Preset): string {
  return preset.dialects[preset.dialect]?.base_url ?? ''
}

/** Servers of one's own can be anywhere, and some addresses have a part that only the customer knows. */
export function asksForBaseUrl(preset: Preset): boolean {
  return preset.network === 'local' || baseUrlOf(preset).includes('{')
}

/** Where the preset has it. Of what can be anywhere, a base URL that is no public name says it: on the internet it would be refused. */
export function networkAt(baseUrl: string, preset: Preset): Preset['network'] {
  const isAnywhere = preset.id === 'custom'
  return isAnywhere && URL.canParse(baseUrl) && isNearAddress(baseUrl) ? 'local' : preset.network
}

/** The preset's own name, with a number where that is taken. */
export function freeName(wanted: string, taken: readonly string[]): string {
  if (!taken.includes(wanted)) return wanted
  const numbered = Array.from({ length: taken.length + 1 }, (_, index) => `${wanted}-${index + 2}`)
  return numbered.find((name) => !taken.includes(name)) ?? wanted
}

/** With more models than this nobody wants all of them. */
const MAX_CHOSEN = 12

/** The models that can be added here. */
export function addable(models: readonly ModelOffer[]): readonly ModelOffer[] {
  return models.filter(({ state }) => state === 'ready' || state === 'unpriced' || state === 'no-limits')
}

/** The API takes no more. */
const MAX_TOKENS = 1_000_000_000

/** A number of tokens as it is typed, with or without signs between thousands; undefined for anything else. */
export function tokensIn(text: string): number | undefined {
  const digits = text.trim().replaceAll(/[\s.,'’]/g, '')
  const tokens = /^\d{1,10}$/.test(digits) ? Number(digits) : 0
  return tokens >= 1 && tokens <= MAX_TOKENS ? tokens : undefined
}

/** What is chosen before anybody chose: the ones that work at once, where they are few. */
export function firstChoice(models: readonly ModelOffer[]): readonly string[] {
  const ready = models.filter(({ state }) => state === 'ready')
  return ready.length > MAX_CHOSEN ? [] : ready.map(({ model }) => model)
}

// What Farebox is delivered with: every preset and every price must be sound by itself and fit the others.

import { describe, expect, it } from 'vitest'
import { loadPresets, loadPriceCard } from '#catalog/resources.ts'
import { Presets } from '#contract/presets.ts'
import { PriceCard } from '#contract/price-card.ts'
import { check } from '#contract/validate.ts'
import { creditsToMicro } from '#core/money.ts'

const presets = loadPresets()
const card = loadPriceCard()

const PROMISED = (
  'openai anthropic gemini openrouter azure-openai groq deepseek mistral xai together fireworks cerebras moonshot zai ' +
  'ollama lm-studio llama-cpp vllm custom bedrock vertex-gemini vertex-claude'
).split(' ')

describe('the presets', () => {
  it('are those that are promised, each once', () => {
    expect(presets.map(({ id }) => id).toSorted()).toEqual(PROMISED.toSorted())
  })

  it('have no members that nobody knows', () => {
    expect(check(Presets, presets)).toMatchObject({ type: 'valid' })
    const [first] = presets
    expect(check(Presets, [first])).toMatchObject({ type: 'valid' })
    expect(check(Presets, [{ ...first, api_key: 'x' }])).toMatchObject({ type: 'invalid' })
    expect(check(Presets, [{ ...first, dialects: { mistral: {} } }])).toMatchObject({ type: 'invalid' })
    expect(check(Presets, [{ ...first, model_list: { prices: 'per-word' } }])).toMatchObject({ type: 'invalid' })
  })

  it.each(presets.map((preset) => [preset.id, preset] as const))('%s fits together', (_, preset) => {
    const entries = Object.values(preset.dialects)
    expect(preset.dialects[preset.dialect]).toBeDefined()
    for (const { base_url } of entries) {
      expect(base_url).not.toMatch(/\/$/)
      if (base_url.startsWith('{')) continue
      expect(base_url.startsWith(preset.network === 'local' ? 'http://127.0.0.1:' : 'https://')).toBe(true)
    }
    // The secret is shown to the list of models, so that it must be at the origin that the secret is for.
    const list = preset.model_list.base_url
    const origins = entries.map(({ base_url }) => originOf(base_url))
    if (list !== undefined) expect(origins.every((origin) => origin === originOf(list))).toBe(true)
    if (preset.secret === 'required') expect(preset.key_url).not.toBeNull()
    expect(preset.free).toBe(preset.network === 'local')
  })

  it.each(presets.map((preset) => [preset.id, preset] as const))(
    '%s says where it is from, and since when',
    (_, it_) => {
      expect(URL.canParse(it_.source)).toBe(true)
      expect(isPast(it_.written)).toBe(true)
    },
  )
})

describe('the price card', () => {
  it('has each model of a provider once, under a preset that there is', () => {
    const names = card.entries.flatMap(({ preset, model, also = [] }) =>
      [model, ...also].map((name) => `${preset} ${name}`),
    )
    expect(new Set(names).size).toBe(names.length)
    expect(card.entries.filter(({ preset }) => !PROMISED.includes(preset))).toEqual([])
  })

  it('has no members that nobody knows', () => {
    const [first] = card.entries
    expect(check(PriceCard, { ...card, entries: [first] })).toMatchObject({ type: 'valid' })
    expect(check(PriceCard, { ...card, entries: [{ ...first, currency: 'EUR' }] })).toMatchObject({ type: 'invalid' })
    expect(check(PriceCard, { ...card, unit: 'USD per token' })).toMatchObject({ type: 'invalid' })
  })

  it.each(card.entries.map((entry) => [`${entry.preset} ${entry.model}`, entry] as const))(
    'is sound for %s',
    (_, entry) => {
      const { price, context_window, max_output_tokens, priced_up_to, kind, note } = entry
      // What has no price must say why, and so must nothing else.
      if (price === null) expect(note).toBeDefined()
      else {
        for (const credits of Object.values(price).filter((value) => typeof value === 'number'))
          expect(creditsToMicro(credits)).toBeDefined()
        expect(price.cache_read ?? 0).toBeLessThanOrEqual(price.input)
        expect(price.cache_write ?? price.input).toBeGreaterThanOrEqual(price.input)
        if (kind === 'chat') expect(price.output).toBeGreaterThan(price.input)
        // Per million tokens: a price per token, or per thousand, would be far below or above. What is paid by the second has none.
        const isByUnits = Object.values(price.units ?? {}).some((credits) => credits > 0)
        if (isByUnits) expect([price.input, price.output]).toEqual([0, 0])
        else expect(price.input).toBeGreaterThanOrEqual(0.01)
        expect(price.input).toBeLessThanOrEqual(100)
      }
      const names = new Set([
        ...Object.keys(price ?? {}),
        ...Object.keys(price?.tiers ?? {}).map((name) => `tiers.${name}`),
      ])
      expect(Object.keys(entry.sources ?? {}).filter((member) => !names.has(member))).toEqual([])
      expect(max_output_tokens ?? 0).toBeLessThanOrEqual(context_window)
      if (priced_up_to !== undefined) expect(priced_up_to).toBeLessThan(context_window)
      // A price that is known for long prompts holds for all of them.
      const steps = price?.steps ?? []
      expect(steps.length > 0 && priced_up_to !== undefined).toBe(false)
      for (const { above, ...rates } of steps) {
        expect(above).toBeLessThan(context_window)
        const base = Object.fromEntries(Object.keys(rates).map((name) => [name, price?.[name as keyof typeof rates]]))
        for (const [name, rate] of Object.entries(rates)) expect(rate).toBeGreaterThan(base[name] ?? 0)
      }
    },
  )

  it.each(card.entries.map((entry) => [`${entry.preset} ${entry.model}`, entry] as const))(
    'cites the maker for %s, on a day before the card',
    (_, { preset, source, date }) => {
      const makers = [...sitesOf(preset), ...(EXTRA_SITES[preset] ?? [])]
      expect(makers).toContain(siteOf(source))
      expect(date <= card.date).toBe(true)
      expect(isPast(date)).toBe(true)
    },
  )
})

/** Sites of makers that no preset mentions. */
const EXTRA_SITES: Readonly<Record<string, readonly string[]>> = {
  gemini: ['google.dev'],
  groq: ['groq.com'],
  cerebras: ['cerebras.ai'],
}

function sitesOf(id: string): string[] {
  const preset = presets.find((candidate) => candidate.id === id)
  return preset === undefined ? [] : [preset.source, preset.key_url ?? preset.source].map(siteOf)
}

function siteOf(url: string): string {
  return new URL(url).hostname.split('.').slice(-2).join('.')
}

function originOf(url: string): string {
  return URL.parse(url.replace('{resource}', 'r'))?.origin ?? url
}

/** A day that was, whenever this runs; the cards are younger than this program's first line. */
function isPast(day: string): boolean {
  return day >= '2026-01-01' && Date.parse(day) <= Date.now()
}

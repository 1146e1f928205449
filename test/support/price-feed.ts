// The program of a repository of prices (`resources/price-feed/build.mjs`), which is plain JavaScript, with its types.

import type { KeyObject } from 'node:crypto'

export type Entry = {
  readonly preset: string
  readonly model: string
  readonly also?: readonly string[]
  readonly display_name: string
  readonly kind: string
  readonly context_window: number
  readonly price: Readonly<Record<string, number>> | null
  readonly source: string
  readonly date: string
}

type Program = {
  readonly problemsOf: (
    files: readonly { readonly name: string; readonly entries: unknown }[],
    today: string,
  ) => string[]
  readonly publicKeyText: (privateKey: KeyObject) => string
  readonly signedCard: (card: {
    readonly version: number
    readonly entries: readonly Entry[]
    readonly privateKey: KeyObject
  }) => string
}

const place = new URL('../../resources/price-feed/build.mjs', import.meta.url).href
export const { problemsOf, publicKeyText, signedCard } = (await import(place)) as Program

/** One price of a card. */
export const ENTRY: Entry = {
  preset: 'openai',
  model: 'gpt-x',
  display_name: 'GPT X',
  kind: 'chat',
  context_window: 100_000,
  price: { input: 3, output: 9 },
  source: 'https://example.com/prices',
  date: '2026-11-01',
}

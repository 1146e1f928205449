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

// The data that Farebox is delivered with, read when it is first asked for: an administrator's action may wait for a small
// file, and a gateway that only relays never reads it. The files are parts of the program like its code, so that a test
// holds them to their schemas and nothing does so again at every start.

import { readFileSync } from 'node:fs'
import { RESOURCES } from '#config/program-files.ts'
import type { PriceCard } from '#contract/price-card.ts'
import type { Preset } from '#contract/presets.ts'

let presets: readonly Preset[] | undefined
let card: PriceCard | undefined

export function loadPresets(): readonly Preset[] {
  return (presets ??= parsed('presets.json') as readonly Preset[])
}

export function loadPriceCard(): PriceCard {
  return (card ??= parsed('price-card.json') as PriceCard)
}

function parsed(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, RESOURCES), 'utf8'))
}

// The data that Farebox is delivered with, read when it is first asked for: an administrator's action may wait for a small
// file, and a gateway that only relays never reads it. The one place that knows where the files are.

import { readFileSync } from 'node:fs'
import { PriceCard } from '#contract/price-card.ts'
import { Presets, type Preset } from '#contract/presets.ts'
import { check, firstProblem } from '#contract/validate.ts'

const FOLDER = new URL('../../resources/', import.meta.url)

let presets: readonly Preset[] | undefined
let card: PriceCard | undefined

export function loadPresets(): readonly Preset[] {
  if (presets !== undefined) return presets
  const checked = check(Presets, parsed('presets.json'))
  if (checked.type === 'invalid') throw broken('presets.json', firstProblem(checked.problems).message)
  return (presets = checked.value)
}

export function loadPriceCard(): PriceCard {
  if (card !== undefined) return card
  const checked = check(PriceCard, parsed('price-card.json'))
  if (checked.type === 'invalid') throw broken('price-card.json', firstProblem(checked.problems).message)
  return (card = checked.value)
}

function parsed(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))
}

/** A fault: the file is part of the program. */
function broken(name: string, problem: string): Error {
  return new Error(`resources/${name}: ${problem}`)
}

// Every shape of the contract by its name. Actions say their shapes by these names, and the reference shows them under the same.

import { Type, type Static, type TSchema } from 'typebox'
import * as alerts from '#contract/alerts.ts'
import * as audit from '#contract/audit.ts'
import * as bills from '#contract/bills.ts'
import * as codex from '#contract/codex.ts'
import * as demo from '#contract/demo.ts'
import * as discovery from '#contract/discovery.ts'
import * as fleet from '#contract/fleet.ts'
import * as invites from '#contract/invites.ts'
import * as lan from '#contract/lan.ts'
import * as members from '#contract/members.ts'
import * as pause from '#contract/pause.ts'
import * as presets from '#contract/presets.ts'
import * as card from '#contract/price-card.ts'
import * as feed from '#contract/price-feed.ts'
import * as projects from '#contract/projects.ts'
import * as prices from '#contract/prices.ts'
import * as offers from '#contract/provider-models.ts'
import * as providers from '#contract/providers.ts'
import * as receipt from '#contract/receipt.ts'
import * as refused from '#contract/refused.ts'
import * as reports from '#contract/reports.ts'
import * as schemas from '#contract/schemas.ts'
import * as status from '#contract/status.ts'
import * as tools from '#contract/tools.ts'
import * as waiting from '#contract/waiting.ts'

export const SHAPES = {
  ...schemas,
  ...status,
  ...providers,
  ...members,
  ...reports,
  ...audit,
  ...receipt,
  ...codex,
  ...demo,
  ...discovery,
  ...presets,
  ...card,
  ...feed,
  ...prices,
  ...offers,
  ...invites,
  ...lan,
  ...pause,
  ...projects,
  ...waiting,
  ...refused,
  ...alerts,
  ...tools,
  ...bills,
  ...fleet,
}

type NamedShapes = typeof SHAPES
export type ShapeName = {
  [Name in keyof NamedShapes]: NamedShapes[Name] extends TSchema ? Name : never
}[keyof NamedShapes]
/** What a value of a shape is; `[]` behind the name makes it a list. */
export type Shape<Name extends string> = Name extends `${infer One extends ShapeName}[]`
  ? Static<NamedShapes[One]>[]
  : Name extends ShapeName
    ? Static<NamedShapes[Name]>
    : never

/** The schema of a name that a row of the table says. */
export function shapeOf(name: ShapeName | `${ShapeName}[]`): TSchema {
  return isOne(name) ? SHAPES[name] : Type.Array(SHAPES[name.slice(0, -'[]'.length) as ShapeName])
}

function isOne(name: string): name is ShapeName {
  return Object.hasOwn(SHAPES, name)
}

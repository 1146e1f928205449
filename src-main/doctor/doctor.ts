// The doctor: everything that keeps tools from working, found by checks that each look at one thing, and repaired where that is safe. It
// writes nothing unless it is asked to repair, and then only what Farebox itself wrote before. No sentence of it has a secret in it.

import { Refused } from '#connect/format.ts'
import type { Workshop } from '#connect/tools.ts'
import type { Finding, Found } from '#doctor/check.ts'
import { GATEWAY_CHECKS } from '#doctor/gateway-checks.ts'
import { KEY_CHECKS } from '#doctor/key-checks.ts'
import { MACHINE_CHECKS } from '#doctor/machine-checks.ts'
import type { Picture } from '#doctor/picture.ts'
import { TOOL_CHECKS } from '#doctor/tool-checks.ts'

const OF_MACHINE = [...MACHINE_CHECKS, ...GATEWAY_CHECKS]
const OF_TOOLS = [...TOOL_CHECKS, ...KEY_CHECKS]

/** The names of all problems that can be found. */
export const PROBLEM_IDS: readonly string[] = [...OF_MACHINE, ...OF_TOOLS].map(({ id }) => id)

export type Problem = Found & {
  readonly id: string
  /** null where it concerns all of them. */
  readonly tool: string | null
}

/** What is wrong, in the order in which it should be seen to. */
export function examine(picture: Picture): Problem[] {
  const ofMachine = OF_MACHINE.flatMap(({ id, find }) => problems({ id, tool: null }, find(picture)))
  const ofTools = picture.tools.flatMap((tool) =>
    OF_TOOLS.flatMap(({ id, find }) => problems({ id, tool: tool.adapter.tool }, find(tool, picture))),
  )
  return [...ofMachine, ...ofTools]
}

function problems(named: Pick<Problem, 'id' | 'tool'>, finding: Finding): Problem[] {
  return [finding ?? []].flat().map((found) => ({ ...named, ...found }))
}

/** Repairs what can be repaired safely, and says what was done. What is refused or fails stays, and says why. */
export async function repair(found: readonly Problem[], workshop: Workshop): Promise<string[]> {
  const done: string[] = []
  for (const { id, tool, repair: mend } of found) {
    if (mend === undefined) continue
    try {
      done.push(await mend(workshop))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      // One that fails, as on a full disk, keeps nobody from the others, nor from reading what was done.
      done.push(error instanceof Refused ? why : `The problem '${id}' of ${tool} could not be repaired: ${why}`)
    }
  }
  return done
}

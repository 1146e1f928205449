// Which test files need which programs of the system, found by what they load: a list of them would miss the next test.

import { REQUIREMENTS, type Requirement, type RequirementName } from '../requirements.ts'
import type { TestGraph } from './test-kinds.ts'

export type Needs = {
  /** Programs without which the file is left out. */
  readonly whole: readonly RequirementName[]
  /** Programs without which some of its tests are skipped: those that say `needs('NAME')`. */
  readonly partly: readonly RequirementName[]
}

/** The needs of every test file, by its path from the root of the project. */
export function needsOf(graph: TestGraph): ReadonlyMap<string, Needs> {
  return new Map(graph.tests.map((path) => [path, needsOfTest(path, graph)]))
}

function needsOfTest(test: string, graph: TestGraph): Needs {
  const reached = graph.reach(test)
  const partly = saidNeeds(graph.textOf(test))
  // The test of a helper gives it programs of its own.
  const isHelped = ({ helpers }: Requirement) =>
    helpers
      .map((path) => `test/${path}`)
      .some((path) => reached.has(path) && test !== path.replace(/\.ts$/, '.test.ts'))
  const whole = REQUIREMENTS.filter((one) => isHelped(one) && !partly.includes(one.name)).map(({ name }) => name)
  return { whole, partly }
}

/** What a text declares for some of its tests. */
function saidNeeds(text: string): RequirementName[] {
  const said = [...text.matchAll(/\bneeds\(([^)]*)\)/g)].map(([, names]) => names ?? '').join()
  return REQUIREMENTS.map(({ name }) => name).filter((name) => said.includes(`'${name}'`))
}

import type { Lab } from './lab.ts'
import type { Outcome } from './program.ts'

export type Scenario = {
  readonly name: string
  /** Throws an error that says what was wrong; resolves to a figure that is worth a look, or to nothing. */
  run(lab: Lab): Promise<string | void>
}

export function expect(condition: boolean, problem: string, outcome?: Outcome): asserts condition {
  if (condition) return
  throw new Error(outcome === undefined ? problem : `${problem}; ${summary(outcome)}`)
}

/** What a person needs to see of a program that did not do what it should. */
function summary({ code, timedOut, tookMs, answer, stdout, stderr }: Outcome): string {
  const exit = timedOut ? `ended after ${tookMs} ms` : `exit code ${code}`
  return `${exit}, answer ${JSON.stringify(answer)}, stdout ${tail(stdout)}, stderr ${tail(stderr)}`
}

function tail(text: string): string {
  return JSON.stringify(text.trim().slice(-600))
}

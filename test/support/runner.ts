// Vitest's own runner, which also skips the files that a run leaves out (test/install.ts), and reports the first error of a setup that
// failed without those of its cleanup.

import { relative, sep } from 'node:path'
import { inject, TestRunner, type RunnerTask, type RunnerTestSuite } from 'vitest'
import { tagsOf, type RequirementName } from '../requirements.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** What each test file needs in whole, by its path from the root of the project. */
    needs: Readonly<Record<string, readonly RequirementName[]>>
  }
}

/** A setup that failed leaves variables unset that its cleanup reads. */
const CONSEQUENCE = /^(Cannot (read|set) propert|Cannot destructure property)/

export default class extends TestRunner {
  override async importFile(path: string, source: 'collect' | 'setup'): Promise<unknown> {
    if (source === 'collect') tagFile(relative(this.config.root, path).replaceAll(sep, '/'))
    return super.importFile(path, source)
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    dropConsequences(suite)
    await super.onAfterRunSuite(suite)
  }

  override async onAfterRetryTask(...[test, options]: Parameters<TestRunner['onAfterRetryTask']>): Promise<void> {
    dropConsequences(test)
    await super.onAfterRetryTask(test, options)
  }
}

/** Its tests have the tags of their file. */
function tagFile(path: string): void {
  const { file } = TestRunner.getCurrentSuite()
  file?.tags?.push(...tagsOf(inject('needs')[path] ?? []))
}

/** Leaves the first error, and those behind it that are more than its consequence. */
export function dropConsequences({ result }: Pick<RunnerTask, 'result'>): void {
  const errors = result?.errors ?? []
  const [first, ...rest] = errors
  const own = rest.filter(({ name, message }) => name !== 'TypeError' || !CONSEQUENCE.test(message))
  if (first !== undefined) errors.splice(1, rest.length, ...own)
}

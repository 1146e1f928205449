// What goes where on a machine without Farebox, whose tools use this gateway over the LAN: the same data as for a connection, as lines for
// people. The key's value is not known here: a word stands for it, which is replaced where it is.

import type { Adapter, FileTemplate } from '#connect/adapter.ts'
import { ADAPTERS } from '#connect/adapters.ts'
import { withMembers } from '#connect/edit.ts'
import { expandLaunch, expandLines, expandMembers, filled, pathOf, valuesOf, type Expanding } from '#connect/expand.ts'
import { chooseModels } from '#connect/models.ts'
import { FORMATS } from '#connect/plan.ts'
import { systemProgram } from '#connect/program.ts'
import type { ModelView } from '#contract/schemas.ts'
import type { ToolGuide } from '#contract/tools.ts'

export type GuideWish = {
  /** The address under which that machine reaches the gateway, without `/v1`. */
  readonly url: string
  readonly platform: 'linux' | 'darwin' | 'win32'
  /** Those that may be used there. */
  readonly models: readonly ModelView[]
  readonly model?: string | undefined
  readonly nowMs: number
}

/** Stands for the key. */
const KEY = 'YOUR_KEY'
/** Where a tool that reads its key from a file finds it. */
const KEY_FILE = '~/farebox.key'

/** Throws a Refused where there is no such model, or none at all. */
export function toolGuides({ url, platform, models, model, nowMs }: GuideWish): ToolGuide[] {
  const choice = chooseModels(models, { models: 'all' }, { model })
  const values = valuesOf({ ...choice, url, key: KEY, keyFile: KEY_FILE, surroundings: { env: {}, platform }, nowMs })
  // There is no helper on that machine that knows the key, so that the key stands where a command would be.
  const isWindows = platform === 'win32'
  const printing = isWindows
    ? {
        printKey: `cmd /c echo ${KEY}`,
        printCommand: systemProgram('cmd.exe', {}),
        printArguments: ['/c', 'echo', KEY],
      }
    : { printKey: `echo ${KEY}`, printCommand: 'echo', printArguments: [KEY] }
  const expanding = { values: { ...values, ...printing }, models: choice.models }
  return ADAPTERS.flatMap((adapter) => guideOf(adapter, { expanding, platform }) ?? [])
}

type Place = { readonly expanding: Expanding; readonly platform: NodeJS.Platform }

/** undefined for a tool that cannot be connected. */
function guideOf(adapter: Adapter, place: Place): ToolGuide | undefined {
  const { tool, name, launch, copy, certificate = null } = adapter
  const { expanding } = place
  // What a tool is started with may be all that it needs, or go with its files.
  const isWhole = /<(url|v1)>/.test(JSON.stringify(launch ?? {}))
  const files = isWhole ? [] : filesOf(adapter, place)
  if (launch === undefined && copy === undefined && files.length === 0) return undefined
  return {
    tool,
    name,
    certificate,
    files,
    launch: launch === undefined ? null : expandLaunch(launch, expanding),
    steps: copy === undefined ? [] : [copy.place, ...copy.lines].map((line) => filled(line, expanding.values)),
  }
}

function filesOf({ connect }: Adapter, { expanding, platform }: Place): ToolGuide['files'] {
  const surroundings = { home: '~', env: {}, platform }
  const paths = (connect?.files ?? []).map(({ places }) => pathOf(places, surroundings))
  // A shell reads the sign for the home folder only outside of quotes.
  const named = Object.fromEntries(paths.map((path, index) => [`fileWord${index}`, path]))
  const whole = { ...expanding, values: { ...expanding.values, ...named } }
  const files = (connect?.files ?? []).map((file, index) => ({ place: paths[index] ?? '', text: textOf(file, whole) }))
  const needsKeyFile = files.some(({ text }) => text.includes(KEY_FILE))
  return needsKeyFile ? [{ place: KEY_FILE, text: KEY }, ...files] : files
}

/** What a file says that has nothing else in it. */
function textOf(file: FileTemplate, expanding: Expanding): string {
  if (file.type === 'own') return expandLines(file.lines, expanding).join('\n')
  const members = expandMembers(file.members, expanding).filter(({ ifPresent }) => ifPresent !== true)
  return withMembers(FORMATS[file.format], '', members)
}

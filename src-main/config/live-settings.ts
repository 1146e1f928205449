// Settings that may be changed while Farebox runs. What the environment or a flag says is fixed: whoever started the program said it.

import { posix } from 'node:path'
import { describeSettings, settingName, type Config, type Mistake, type SettingView } from '#config/config.ts'
import { SETTINGS } from '#config/settings.ts'

/** Everything that asks for one of these asks at every use, and keeps no copy. */
const CHANGEABLE = [
  'rateLimitWait',
  'rateLimitWaitMs',
  'holdWaitMs',
  'upstreamConnectTimeoutMs',
  'upstreamFirstByteTimeoutMs',
  'upstreamSilenceTimeoutMs',
  'upstreamTotalTimeoutMs',
  'backupEvery',
  'backupKeep',
  'balancesEvery',
  'billsEvery',
  'toolCreditsPerDay',
  'language',
  'theme',
] as const satisfies readonly (keyof typeof SETTINGS)[]

type Changeable = (typeof CHANGEABLE)[number]
/** `text` is undefined where a setting is to be what it is by default. */
type SettingChange = { readonly name: string; readonly text: string | undefined }

export type LiveSettingView = SettingView & { readonly isChangeable: boolean }

export class LiveSettings {
  /** As it is now: what is changed is changed in here. */
  readonly config: Config
  readonly #start: Config

  constructor(start: Config) {
    this.#start = start
    this.config = { ...start, sources: { ...start.sources } }
  }

  /** What was changed by an earlier process. What is fixed now, or not understood any more, stays as this process was started. */
  restore(changes: readonly SettingChange[]): void {
    for (const change of changes) if (this.problemOf(change) === undefined) this.apply(change)
  }

  /** Why a change is not possible; undefined where it is. */
  problemOf({ name, text }: SettingChange): Mistake | undefined {
    const key = keyOf(name)
    if (key === undefined) {
      const names = CHANGEABLE.map(settingName).join(', ')
      return mistake(`'${name}' cannot be changed while Farebox runs. These can: ${names}.`)
    }
    if (this.#start.sources[key] !== 'default') {
      return mistake(`'${name}' is fixed by ${SETTINGS[key].env}, with which Farebox was started.`)
    }
    if (text === undefined || SETTINGS[key].kind.read(text, posix) !== undefined) return undefined
    return mistake(`'${name}' must be ${SETTINGS[key].kind.expects}, but is '${text}'.`)
  }

  /** Holds from now on. The change must be possible. */
  apply({ name, text }: SettingChange): void {
    const key = keyOf(name)
    if (key === undefined) return
    const value = text === undefined ? this.#start[key] : SETTINGS[key].kind.read(text, posix)
    const source = text === undefined ? 'default' : 'stored'
    // The only place that writes to the configuration; everybody else sees it as it is.
    Object.assign(this.config, { [key]: value })
    Object.assign(this.config.sources, { [key]: source })
  }

  views(): LiveSettingView[] {
    return describeSettings(this.config).map((view) => {
      const key = keyOf(view.name)
      const isChangeable = key !== undefined && this.#start.sources[key] === 'default'
      return { ...view, isChangeable }
    })
  }
}

function keyOf(name: string): Changeable | undefined {
  return CHANGEABLE.find((key) => settingName(key) === name)
}

function mistake(message: string): Mistake {
  return { type: 'mistake', message }
}

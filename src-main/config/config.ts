// Reads the settings: flags win over the environment, the environment over defaults. Nothing else reads process.env; this file gets it as an
// argument.

import { pathsOf, SETTINGS, type Environment, type Setting, type Start } from '#config/settings.ts'
import type { Kind } from '#config/setting-kinds.ts'

export const VERSION = '0.1.0'

type ValueOf<Row> = Row extends { kind: Kind<infer Read>; fallback: (start: Start) => infer Fallback }
  ? Read | (Fallback extends undefined ? undefined : never)
  : never

type Values = { readonly [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]> }

/** Where the value of a setting came from; `stored`: it was changed while Farebox ran. */
type Source = 'default' | 'environment' | 'flag' | 'stored'

/** The value of every setting, and where it came from. Paths are absolute, times are milliseconds. */
export type Config = Values & { readonly sources: Readonly<Record<keyof Values, Source>> }

export type Mistake = { readonly type: 'mistake'; readonly message: string }

/** The configuration, or a sentence about the first thing that is wrong with it. Pure but for the working folder. */
export function readConfig(start: Start): { readonly type: 'config'; readonly config: Config } | Mistake {
  const flags = readFlags(start.argv)
  if (flags.type === 'mistake') return flags
  const paths = pathsOf(start.platform)
  const values: Record<string, unknown> = {}
  const sources: Record<string, Source> = {}
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const given = givenText(setting, flags.texts, start.env)
    sources[name] = given?.source ?? 'default'
    values[name] = given === undefined ? setting.fallback(start) : setting.kind.read(given.text, paths)
    if (given !== undefined && values[name] === undefined) {
      const is = 'isQuiet' in setting.kind ? '' : `, but is '${given.text}'`
      return mistake(`${given.from} must be ${setting.kind.expects}${is}.`)
    }
  }
  // The loop above sets exactly the members of the table, each by its own row.
  const config = { ...values, sources } as Config
  // Only a default can be relative: there is no home folder, and the working folder must not become the data folder.
  if (!paths.isAbsolute(config.dataDir)) {
    return mistake('No home folder is known to keep data in; name a data folder with --data-dir.')
  }
  return { type: 'config', config }
}

type Flags = { readonly type: 'flags'; readonly texts: ReadonlyMap<string, string> }

/** Reads `--flag value`, `--flag=value` and switches. The last of several wins, so that scripts can append. */
function readFlags(argv: readonly string[]): Flags | Mistake {
  const texts = new Map<string, string>()
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? ''
    const equals = argument.indexOf('=')
    const flag = equals === -1 ? argument : argument.slice(0, equals)
    const setting = Object.values(SETTINGS).find((row) => row.flag === flag)
    // Only the name is repeated: what follows the equals sign of an unknown flag might be a secret.
    if (setting === undefined) return mistake(`'${flag}' is not known here; the flags are ${knownFlags()}.`)
    const isSwitch = 'isSwitch' in setting.kind
    if (isSwitch && equals !== -1) return mistake(`${flag} takes no value.`)
    if (isSwitch) texts.set(flag, 'true')
    else if (equals !== -1) texts.set(flag, argument.slice(equals + 1))
    else {
      const next = argv[++index]
      if (next === undefined || next.startsWith('--')) return mistake(`${flag} needs a value.`)
      texts.set(flag, next)
    }
  }
  return { type: 'flags', texts }
}

function givenText(setting: Setting<unknown>, flags: ReadonlyMap<string, string>, env: Environment) {
  const byFlag = setting.flag === undefined ? undefined : flags.get(setting.flag)
  if (byFlag !== undefined) return { from: setting.flag ?? '', text: byFlag, source: 'flag' } as const
  // An empty variable counts as absent: unit files and shells have no other way to take one back.
  const byEnv = setting.env === undefined ? undefined : env[setting.env]
  return byEnv === undefined || byEnv === ''
    ? undefined
    : ({ from: setting.env ?? '', text: byEnv, source: 'environment' } as const)
}

/** A setting as somebody reads it; `value` is undefined where nothing is set. Paths are told, what is in their files is not. */
export type SettingView = {
  /** Such as `hold_wait_ms`. */
  readonly name: string
  readonly value: string | undefined
  readonly source: Source
  readonly env: string | undefined
  readonly flag: string | undefined
  readonly meaning: string
  /** What may be chosen; undefined where anything may be said that it expects. */
  readonly choices: readonly string[] | undefined
}

/** Every setting in the order of the table. */
export function describeSettings(config: Config): SettingView[] {
  return Object.entries(SETTINGS).map(([name, { env, flag, meaning, kind }]) => {
    // Object.entries forgets that the names are those of the table.
    const key = name as keyof Values
    const value = config[key]
    return {
      name: settingName(name),
      value: value === undefined ? undefined : (kind.shown?.(String(value)) ?? String(value)),
      source: config.sources[key],
      env,
      flag,
      meaning,
      choices: 'choices' in kind ? kind.choices : undefined,
    }
  })
}

/** As people know a setting: `hold_wait_ms`. */
export function settingName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function knownFlags(): string {
  return Object.values(SETTINGS)
    .flatMap((setting) => (setting.flag === undefined ? [] : [setting.flag]))
    .join(', ')
}

function mistake(message: string): Mistake {
  return { type: 'mistake', message }
}

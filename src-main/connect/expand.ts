// Placeholders of adapters and what they stand for.

import type { Adapter, EachMember, FileTemplate, MemberTemplate, Places, Template } from '#connect/adapter.ts'
import type { Member } from '#connect/edit.ts'
import { systemProgram } from '#connect/program.ts'
import { existsSync } from 'node:fs'
import { posix, win32 } from 'node:path'

/** A model as tools are told of it. */
export type ToolModel = {
  readonly id: string
  readonly name: string
  readonly context: number
  readonly output: number
}

export type Surroundings = {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
}

/** What the placeholders of one connection stand for. */
export type Values = Readonly<Record<string, unknown>>

export type Connected = {
  /** The gateway's address, without `/v1`. */
  readonly url: string
  readonly key: string
  readonly keyFile: string
  readonly models: readonly ToolModel[]
  readonly model: ToolModel
  readonly small: ToolModel
  readonly surroundings: Pick<Surroundings, 'env' | 'platform'>
  readonly nowMs: number
}

export function valuesOf({ url, key, keyFile, model, small, surroundings, nowMs }: Connected): Values {
  const { env, platform } = surroundings
  const isWindows = platform === 'win32'
  return {
    url,
    v1: `${url}/v1`,
    key,
    keyFile,
    printKey: isWindows ? `type "${keyFile}"` : `cat ${shellQuoted(keyFile)}`,
    // Without a shell: the folder of a person may be named R&D.
    printCommand: isWindows ? systemProgram('findstr.exe', env) : 'cat',
    printArguments: isWindows ? ['.', keyFile] : [keyFile],
    // The day alone, so that what is written is what a preview of the same day showed.
    now: `${new Date(nowMs).toISOString().slice(0, 10)}T00:00:00.000Z`,
    model: model.id,
    modelJson: JSON.stringify(model.id),
    modelName: model.name,
    context: model.context,
    contextText: String(model.context),
    output: model.output,
    small: small.id,
    smallContext: small.context,
    smallOutput: small.output,
  }
}

function modelValues({ id, name, context, output }: ToolModel): Values {
  const quoted = { shellId: shellQuoted(`farebox/${id}`), shellName: shellQuoted(name) }
  return { id, name, contextOfIt: context, outputOfIt: output, ...quoted }
}

/** As one word of a shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A placeholder that is the whole text stands for its value as it is; within a text, for its text. */
function expandText(text: string, values: Values): unknown {
  const whole = /^<(\w+)>$/.exec(text)?.[1]
  if (whole !== undefined && Object.hasOwn(values, whole)) return values[whole]
  return filled(text, values)
}

export function filled(text: string, values: Values): string {
  return text.replace(/<(\w+)>/g, (written, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : written,
  )
}

export type Expanding = { readonly values: Values; readonly models: readonly ToolModel[] }

function expand(template: Template, expanding: Expanding): unknown {
  if (typeof template === 'string') return expandText(template, expanding.values)
  if (typeof template !== 'object') return template
  if (isList(template)) return template.flatMap((entry) => expandEntry(entry, expanding))
  const members = Object.entries(template).flatMap(([name, value]) =>
    name === '<each>'
      ? expanding.models.map((model) => memberOfEach(value, model, expanding))
      : [[filled(name, expanding.values), expand(value, expanding)] as const],
  )
  return Object.fromEntries(members)
}

/** In an object, `<each>` stands for a member by the name of each model. */
function memberOfEach(value: Template, model: ToolModel, { values, models }: Expanding): readonly [string, unknown] {
  return [model.id, expand(value, { values: { ...values, ...modelValues(model) }, models })]
}

function expandEntry(entry: Template, expanding: Expanding): unknown[] {
  if (typeof entry !== 'object' || isList(entry) || entry['each'] !== 'models') return [expand(entry, expanding)]
  const value = entry['value'] ?? ''
  return expanding.models.map((model) => expand(value, within(expanding, model)))
}

function within({ values, models }: Expanding, model: ToolModel): Expanding {
  return { values: { ...values, ...modelValues(model) }, models }
}

function isList(template: Template): template is readonly Template[] {
  return Array.isArray(template)
}

export function expandMembers(
  templates: readonly (MemberTemplate | EachMember)[],
  expanding: Expanding,
): (Member & { ifPresent?: true })[] {
  return templates.flatMap((template) =>
    'each' in template
      ? expanding.models.map((model) => expandMember(template.value, within(expanding, model)))
      : [expandMember(template, expanding)],
  )
}

function expandMember(
  { path, value, isSecret, ifPresent, kept }: MemberTemplate,
  expanding: Expanding,
): Member & { ifPresent?: true } {
  return {
    path: path.map((step) =>
      typeof step === 'string' ? filled(step, expanding.values) : (expand(step, expanding) as Record<string, string>),
    ),
    value: expand(value, expanding),
    ...(isSecret === true && { isSecret }),
    ...(ifPresent === true && { ifPresent }),
    ...(kept !== undefined && { kept }),
  }
}

export function expandLines(lines: Extract<FileTemplate, { type: 'own' }>['lines'], expanding: Expanding): string[] {
  return lines.flatMap((line) =>
    typeof line === 'string'
      ? [filled(line, expanding.values)]
      : expanding.models.map((model) => filled(line.value, within(expanding, model).values)),
  )
}

export function expandLaunch(
  launch: NonNullable<Adapter['launch']>,
  expanding: Expanding,
): { command: string[]; env: Record<string, string> } {
  const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  return {
    command: launch.command.map((word) => filled(word, expanding.values)),
    env: Object.fromEntries(
      Object.entries(launch.env).map(([name, value]) => [name, asText(expand(value, expanding))]),
    ),
  }
}

/** The absolute path of a file of a tool. */
export function pathOf(places: Places, { home, env, platform }: Surroundings): string {
  const paths = platform === 'win32' ? win32 : posix
  const own =
    'other' in places
      ? platform === 'win32'
        ? places.win32
        : platform === 'darwin'
          ? (places.darwin ?? places.other)
          : places.other
      : places
  const place = own.find((one) => placeOf(one, { home, env }) !== undefined) ?? ''
  // Only the braces of the place itself are meant: the home folder or a variable may have some of its own in its name.
  const choices = namesInBraces(place).map((choice) => paths.normalize(placeOf(choice, { home, env }) ?? choice))
  return choices.find((choice) => existsSync(choice)) ?? choices.at(-1) ?? ''
}

/** undefined where the variable that it begins with is not set. */
function placeOf(place: string, { home, env }: Pick<Surroundings, 'home' | 'env'>): string | undefined {
  const variable = /^\$(\w+)/.exec(place)?.[1]
  if (variable !== undefined) {
    const value = env[variable]
    return value === undefined || value === '' ? undefined : value + place.slice(variable.length + 1)
  }
  return place.startsWith('~') ? home + place.slice(1) : place
}

function namesInBraces(path: string): string[] {
  const [, head, names, tail] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(path) ?? []
  return names === undefined ? [path] : names.split(',').map((name) => `${head}${name}${tail}`)
}

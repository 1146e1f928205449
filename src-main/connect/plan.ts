// What a connection would write, worked out without writing anything: each file as it is, as it would be, and the difference.

import { unifiedDiff } from '#connect/diff.ts'
import { withMembers, type Member } from '#connect/edit.ts'
import { Refused, type Format } from '#connect/format.ts'
import { ENV_FORMAT } from '#connect/formats/env.ts'
import { JSON_FORMAT } from '#connect/formats/json.ts'
import { LINES_FORMAT } from '#connect/formats/lines.ts'
import { TOML_FORMAT } from '#connect/formats/toml.ts'
import { YAML_FORMAT } from '#connect/formats/yaml.ts'
import { decode, encode, readToolFile, sha256Of, type ToolFile } from '#connect/tool-file.ts'

export const FORMATS = {
  json: JSON_FORMAT,
  yaml: YAML_FORMAT,
  toml: TOML_FORMAT,
  env: ENV_FORMAT,
  lines: LINES_FORMAT,
} as const satisfies Readonly<Record<string, Format>>
export type FormatName = keyof typeof FORMATS

/** What a connection wants of a file: members in it, or all of it where the file is Farebox's own. */
export type Wanted =
  | {
      readonly type: 'members'
      readonly path: string
      readonly format: FormatName
      readonly members: readonly Member[]
    }
  | { readonly type: 'own'; readonly path: string; readonly text: string }

export type FilePlan = {
  readonly wanted: Wanted
  readonly file: ToolFile
  readonly after: Buffer
}

/** As the contract for scripts has it. */
export type ChangeView = {
  readonly file: string
  readonly before_sha256: string | null
  readonly after_sha256: string | null
  readonly diff: string
}

/** Throws a Refused that names the file. */
export function planFile(wanted: Wanted): FilePlan {
  return naming(wanted.path, () => {
    const file = readToolFile(wanted.path)
    return { wanted, file, after: contentOf(wanted, file) }
  })
}

/** What a file says; undefined where there is none. Throws a Refused that names it. */
export function readValues(path: string, format: FormatName): unknown {
  return naming(path, () => {
    const { bytes } = readToolFile(path)
    return bytes === undefined ? undefined : FORMATS[format].read(decode(bytes))
  })
}

function naming<Done>(path: string, work: () => Done): Done {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Refused) || error.message.includes(path)) throw error
    throw new Refused(error.reason, `${path} stays as it is. ${error.message}`)
  }
}

function contentOf(wanted: Wanted, { bytes, path }: ToolFile): Buffer {
  if (wanted.type === 'members') {
    const text = bytes === undefined ? '' : decode(bytes)
    return encode(withMembers(FORMATS[wanted.format], text, wanted.members), bytes)
  }
  const own = Buffer.from(wanted.text)
  if (bytes === undefined || bytes.equals(own)) return own
  throw new Refused('taken', `${path} is there already, and Farebox did not write it.`)
}

/** A difference for people and scripts. Nothing in it that looks like a secret can be read. */
export function changeView({ file, after }: FilePlan, secrets: readonly string[]): ChangeView {
  return {
    file: file.path,
    before_sha256: file.sha256,
    after_sha256: sha256Of(after),
    diff: shownDiff({ before: file.bytes, after }, secrets),
  }
}

type Sides = { readonly before: Buffer | undefined; readonly after: Buffer | undefined }

export function shownDiff({ before, after }: Sides, secrets: readonly string[]): string {
  const [from = '', to = ''] = [before, after].map((bytes) => (bytes === undefined ? '' : decode(bytes)))
  const lines = unifiedDiff(from, to).split('\n')
  return lines.map((line) => withoutSecrets(line, secrets)).join('\n')
}

const SECRET_MEMBER =
  /((?:key|token|secret|password|authorization|credential)\w*["']?\s*[:=]\s*["']?)([^\s"',<{$}][^\s"',}]{7,})/gi

function withoutSecrets(line: string, secrets: readonly string[]): string {
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, HIDDEN), line)
  return shown.replace(SECRET_MEMBER, (_, name: string) => `${name}${HIDDEN}`)
}

const HIDDEN = '••••••'

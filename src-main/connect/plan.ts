// What a connection would write, worked out without writing anything: each file as it is, as it would be, and the difference.

import { unifiedDiff } from '#connect/diff.ts'
import { withMembers, type Member } from '#connect/edit.ts'
import { Refused, type Format } from '#connect/format.ts'
import { ENV_FORMAT } from '#connect/formats/env.ts'
import { JSON_FORMAT } from '#connect/formats/json.ts'
import { LINES_FORMAT } from '#connect/formats/lines.ts'
import { TOML_FORMAT } from '#connect/formats/toml.ts'
import { YAML_FORMAT } from '#connect/formats/yaml.ts'
import { withoutSecrets } from '#connect/hidden-secrets.ts'
import type { FileChange } from '#contract/tools.ts'
import { decode, encode, insistOnPlace, readToolFile, sha256Of, type ToolFile } from '#connect/tool-file.ts'

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

/** How a file is read: as it is, or as it would be once something is taken back. */
export type ReadFile = (path: string) => ToolFile

/** Throws a Refused that names the file. */
export function planFile(wanted: Wanted, readFile: ReadFile = readToolFile): FilePlan {
  return naming(wanted.path, () => {
    const file = readFile(wanted.path)
    if (file.bytes === undefined) insistOnPlace(file)
    return { wanted, file, after: contentOf(wanted, file) }
  })
}

/** What a file says; undefined where there is none. Throws a Refused that names it. */
export function readValues(path: string, format: FormatName, readFile: ReadFile = readToolFile): unknown {
  return naming(path, () => {
    const { bytes } = readFile(path)
    return bytes === undefined ? undefined : FORMATS[format].read(decode(bytes))
  })
}

/** What is refused names the file. */
export function naming<Done>(path: string, work: () => Done): Done {
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
  throw new Refused('taken', `${path} is there already, and Farebox did not write it. Move it away, and try again.`)
}

/** A difference for people and scripts. Nothing in it that looks like a secret can be read. */
export function changeView(
  { path, before, after }: Sides & { readonly path: string },
  secrets: readonly string[],
): FileChange {
  return {
    file: path,
    before_sha256: sha256Of(before),
    after_sha256: sha256Of(after),
    diff: shownDiff({ before, after }, secrets),
  }
}

type Sides = { readonly before: Buffer | undefined; readonly after: Buffer | undefined }

function shownDiff({ before, after }: Sides, secrets: readonly string[]): string {
  const [from = '', to = ''] = [before, after].map((bytes) => (bytes === undefined ? '' : decode(bytes)))
  return withoutSecrets(unifiedDiff(from, to), secrets)
}

// How a tool is connected, as data: which files it has on which system, which members of them Farebox writes, what it is started with, and
// where that was read. Texts in it may name values of a connection in angle brackets, such as `<url>`; connect/expand.ts puts them in.

import type { FormatName } from '#connect/plan.ts'

/**
 * Places of a file, the first of which counts whose variable is set: `~` is the home folder and `$NAME` a variable of the tool. Of names
 * in braces the first that is there is meant, else the last.
 */
export type Places =
  | readonly string[]
  | { readonly win32: readonly string[]; readonly darwin?: readonly string[]; readonly other: readonly string[] }

/** A value with placeholders in its texts. A list may have `{ each: 'models', value }` in it, which stands for one entry for each model. */
export type Template = string | number | boolean | readonly Template[] | { readonly [name: string]: Template }

/** `path` names members, and entries of lists by what they have. `ifPresent`: only where the file has it, since it would win otherwise. */
export type MemberTemplate = {
  readonly path: readonly (string | { readonly [member: string]: string })[]
  readonly value: Template
  readonly isSecret?: true
  readonly ifPresent?: true
  /** Names in the value that the tool writes anew by itself. */
  readonly kept?: readonly string[]
}
export type EachMember = { readonly each: 'models'; readonly value: MemberTemplate }

export type FileTemplate =
  | {
      readonly type: 'members'
      readonly places: Places
      readonly format: FormatName
      readonly members: readonly (MemberTemplate | EachMember)[]
      /** Why the tool has to have made it before. */
      readonly mustExist?: string
    }
  | {
      readonly type: 'own'
      readonly places: Places
      readonly lines: readonly (string | { readonly each: 'models'; readonly value: string })[]
    }

/** What counts more for a tool than its user's settings. A place that begins with `./` is of the project that it is started in. */
export type Overrides = {
  readonly variables?: readonly string[]
  /** Without `members` the file wins by being there. */
  readonly files?: readonly {
    readonly places: Places
    readonly format: FormatName
    readonly members?: readonly (readonly string[])[]
  }[]
}

export type Adapter = {
  readonly tool: string
  readonly name: string
  /** The versions that this was read for. */
  readonly versions: string
  readonly page: string
  /** The day on which it was read. */
  readonly checked: string
  /** The program, where it is one that is started by a command. */
  readonly command?: string
  /** Where there is something, the tool is installed, though no command says so. */
  readonly folders?: Places
  /** The variable that names a file with a certificate to trust; without one it trusts what the system trusts. */
  readonly certificate?: 'NODE_EXTRA_CA_CERTS' | 'SSL_CERT_FILE' | 'CODEX_CA_CERTIFICATE'
  readonly connect?: { readonly files: readonly FileTemplate[]; readonly next: readonly string[] }
  readonly overrides?: Overrides
  /** A variable that is an object here is set to its JSON. */
  readonly launch?: { readonly command: readonly string[]; readonly env: Readonly<Record<string, Template>> }
  /** For what can only be done by hand: where, and what goes there. */
  readonly copy?: { readonly place: string; readonly lines: readonly string[] }
  /** Why it cannot be connected at all. */
  readonly impossible?: string
}

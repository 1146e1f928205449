// What the scan knows of the log files of a tool.

import type { TokenUsage } from '#core/usage.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** One answer of a model, as a log has it. */
export type LoggedCall = {
  /** What the log calls it, where it may be in there again; undefined where each line is a call of its own. */
  readonly id: string | undefined
  readonly atMs: number
  readonly model: string
  /** The name of the project's folder, without the way to it. */
  readonly project: string
  readonly usage: TokenUsage
}

export type LogFile = { readonly path: string; readonly changedAtMs: number }

/** Reads the records of one file in their order. */
export type LogReader = (record: JsonObject) => LoggedCall | readonly LoggedCall[] | undefined

/**
 * What a file is made of: lines, objects in one document of JSON (`readObjects`), or rows of a SQLite database (`readRows`), where a column
 * may have a packed document (`unpackedRows`).
 */
export type LogRecords =
  | { readonly type: 'lines' }
  | { readonly type: 'objects'; readonly depth: number }
  | { readonly type: 'rows'; readonly tables: readonly string[]; readonly packed?: string }

export type LogFormat = {
  readonly tool: string
  /**
   * Folders below which the logs are, by the first whose variable is set: `~` is the home folder and `$NAME` a variable of the tool. A tool
   * with logs in several has a format for each.
   */
  readonly places: readonly string[]
  /** `path` is below such a folder, with `/` between its parts. */
  readonly isLog: (path: string) => boolean
  /** Folders of which it is false have no log at any depth, and are not looked into. Without it any folder may have one. */
  readonly mayHold?: (path: string) => boolean
  /** Lines unless given. */
  readonly records?: LogRecords
  /** A line or object that has none of these texts says nothing of use, and is not parsed. */
  readonly marks: readonly string[]
  /** `files` are all logs of the tool, also those that did not change lately. */
  readonly open: (file: LogFile, files: readonly LogFile[]) => Promise<LogReader>
}

/** A member that is an object; an empty one where it is not. */
export function inner(value: JsonObject, name: string): JsonObject {
  const member = value[name]
  return isRecord(member) ? member : {}
}

/** The object that a text is; an empty one where it is none. */
export function objectIn(text: unknown): JsonObject {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined
    return isRecord(value) ? value : {}
  } catch {
    // It was cut, or is no JSON at all.
    return {}
  }
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** NaN where it is no time. */
export function timeOf(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? Date.parse(value) : Number.NaN
}

/** The last part of a path of any system. */
export function folderName(path: string | undefined): string | undefined {
  return path === undefined ? undefined : textOf(path.split(/[\\/]/).findLast((part) => part !== ''))
}

/** The name of the folder that is so many levels above a file. */
export function folderAbove(path: string, levels: number): string {
  return path.split(/[\\/]/).at(-1 - levels) ?? ''
}

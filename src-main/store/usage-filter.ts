// Which calls a question is about, as SQL over the parts of groups and over records.

import { PART_COLUMNS, type Part } from '#store/usage-slices.ts'

/** undefined means any. */
export type UsageParts = {
  readonly keyIds: readonly string[] | undefined
  readonly modelId: string | undefined
  readonly providerId: string | undefined
  readonly packageId: string | undefined
  readonly tool?: string | undefined
  readonly project?: string | undefined
  /** One of the tags that a call has. */
  readonly tag?: string | undefined
}

export const ANY_PARTS: UsageParts = {
  keyIds: undefined,
  modelId: undefined,
  providerId: undefined,
  packageId: undefined,
}

/** The parts that a filter looks at. */
export function partsOf({ keyIds, modelId, providerId, packageId, tool, project, tag }: UsageParts): Part[] {
  const wanted = { key: keyIds, model: modelId, provider: providerId, package: packageId, tool, project, tags: tag }
  return PART_NAMES.filter((part) => wanted[part] !== undefined)
}

// Object.keys forgets that the names are those of the table.
const PART_NAMES = Object.keys(PART_COLUMNS) as readonly Part[]

/** Of a column, by its part. */
const CONDITIONS: Readonly<Record<Part, (column: string) => string>> = {
  key: (column) => `${column} IN (SELECT value FROM json_each(@keyIds))`,
  model: (column) => `${column} = @modelId`,
  provider: (column) => `${column} = @providerId`,
  package: (column) => `${column} = @packageId`,
  tool: (column) => `${column} = @tool`,
  project: (column) => `${column} = @project`,
  tags: (column) => `instr(${column}, ',' || @tag || ',') > 0`,
}

/** Conditions on the columns of groups, as text that begins with AND where there are any. */
export function groupConditions(table: string, parts: UsageParts): string {
  return partsOf(parts)
    .map((part) => `AND ${CONDITIONS[part](`${table}.${PART_COLUMNS[part]}`)}`)
    .join(' ')
}

/** The same on usage records, which have whom they were made for by its number. */
export function recordConditions({ tool, project, tag, ...own }: UsageParts): string {
  const names = groupConditions('attribution', { ...ANY_PARTS, tool, project, tag })
  const ofNames = `AND usage_record.attribution_id IN (SELECT id FROM attribution WHERE 1 ${names})`
  return `${groupConditions('usage_record', { ...ANY_PARTS, ...own })} ${names === '' ? '' : ofNames}`
}

/** The parameters that those conditions name. */
export function partParameters({ keyIds, modelId, providerId, packageId, tool, project, tag }: UsageParts) {
  return {
    keyIds: keyIds === undefined ? null : JSON.stringify(keyIds),
    modelId: modelId ?? null,
    providerId: providerId ?? null,
    packageId: packageId ?? null,
    tool: tool ?? null,
    project: project ?? null,
    tag: tag ?? null,
  }
}

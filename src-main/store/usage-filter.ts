// Which calls a question is about, as SQL over the parts of groups and over records.

import type { Part } from '#store/usage-slices.ts'

/** undefined means any. */
export type UsageParts = {
  readonly keyIds: readonly string[] | undefined
  readonly modelId: string | undefined
  readonly providerId: string | undefined
  readonly packageId: string | undefined
}

export const ANY_PARTS: UsageParts = {
  keyIds: undefined,
  modelId: undefined,
  providerId: undefined,
  packageId: undefined,
}

/** The parts that a filter looks at. */
export function partsOf({ keyIds, modelId, providerId, packageId }: UsageParts): Part[] {
  return [
    ...(keyIds === undefined ? [] : (['key'] as const)),
    ...(modelId === undefined ? [] : (['model'] as const)),
    ...(providerId === undefined ? [] : (['provider'] as const)),
    ...(packageId === undefined ? [] : (['package'] as const)),
  ]
}

/** Conditions on a table with the four columns, as text that begins with AND where there are any. */
export function partConditions(table: string, parts: UsageParts): string {
  return [
    parts.keyIds === undefined ? '' : `AND ${table}.key_id IN (SELECT value FROM json_each(@keyIds))`,
    parts.modelId === undefined ? '' : `AND ${table}.model_id = @modelId`,
    parts.providerId === undefined ? '' : `AND ${table}.provider_id = @providerId`,
    parts.packageId === undefined ? '' : `AND ${table}.package_id = @packageId`,
  ].join(' ')
}

/** The parameters that those conditions name. */
export function partParameters({ keyIds, modelId, providerId, packageId }: UsageParts) {
  return {
    keyIds: keyIds === undefined ? null : JSON.stringify(keyIds),
    modelId: modelId ?? null,
    providerId: providerId ?? null,
    packageId: packageId ?? null,
  }
}

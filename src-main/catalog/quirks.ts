// A provider's quirks between their names in the admin API and in the program.

import type { ProviderQuirks } from '#contract/providers.ts'
import type { Quirks } from '#core/quirks.ts'

/** What was said about a provider, in the program's names. */
export function readQuirks(input: ProviderQuirks | undefined): Partial<Quirks> {
  if (input === undefined) return {}
  const named: { readonly [Name in keyof Quirks]: Quirks[Name] | undefined } = {
    platform: input.platform,
    streamUsage: input.stream_usage,
    reasoningField: input.reasoning_field,
    toolIds: input.tool_ids,
    systemRole: input.system_role,
    laterSystem: input.later_system,
    parallelToolCalls: input.parallel_tool_calls,
    cacheMarks: input.cache_marks,
    topK: input.top_k,
    maxStops: input.max_stops,
    jsonSchema: input.json_schema,
    reasoningEffort: input.reasoning_effort,
    userAfterTool: input.user_after_tool,
    keepsThreads: input.keeps_threads,
    stopsStreamsOnly: input.stops_streams_only,
    routes: input.routes,
  }
  return withoutUndefined(named)
}

export function quirksView(quirks: Partial<Quirks>): ProviderQuirks {
  return withoutUndefined({
    platform: quirks.platform,
    stream_usage: quirks.streamUsage,
    reasoning_field: quirks.reasoningField,
    tool_ids: quirks.toolIds,
    system_role: quirks.systemRole,
    later_system: quirks.laterSystem,
    parallel_tool_calls: quirks.parallelToolCalls,
    cache_marks: quirks.cacheMarks,
    top_k: quirks.topK,
    max_stops: quirks.maxStops,
    json_schema: quirks.jsonSchema,
    reasoning_effort: quirks.reasoningEffort,
    user_after_tool: quirks.userAfterTool,
    keeps_threads: quirks.keepsThreads,
    stops_streams_only: quirks.stopsStreamsOnly,
    routes: quirks.routes === undefined ? undefined : [...quirks.routes],
  })
}

type Defined<Value> = { [Name in keyof Value]?: Exclude<Value[Name], undefined> }

function withoutUndefined<Value extends object>(value: Value): Defined<Value> {
  // Object.entries forgets which value belongs to which name; nothing but members without a value is taken away.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<Value>
}

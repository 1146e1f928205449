// Reads what a request in the messages format says about how to think and in which form to answer.

import type { Reading } from '#dialect/messages/reading.ts'
import { isRecord } from '#dialect/request-body.ts'
import { EFFORTS, type Effort, type JsonObject, type OutputFormat, type ReasoningWish } from '#dialect/turn.ts'

const CONFIG_MEMBERS = new Set(['effort', 'format'])
/** The format's JSON schema has no name, and other dialects want one. */
const SCHEMA_NAME = 'output'

/** Thinking is shown only to clients that asked for it: others do not know what to do with its blocks. */
export function readReasoning(value: JsonObject, reading: Reading): ReasoningWish {
  const config = readConfig(value, reading)
  const effort = readEffort(config['effort'], reading)
  const thinking = value['thinking']
  if (!isRecord(thinking)) return { effort, budgetTokens: undefined, isShown: false }
  const isShown = thinking['display'] !== 'omitted'
  // Omitted thinking still comes as blocks without text, whose signatures the client sends back.
  const shown = isShown ? { isShown } : { isShown, keepsSeal: true }
  switch (thinking['type']) {
    case 'disabled':
      if (effort !== undefined) reading.drop('output_config.effort')
      return { effort: 'none', budgetTokens: undefined, isShown: false }
    case 'enabled': {
      const budget = reading.optionalNumber(thinking, 'budget_tokens', 'thinking.budget_tokens')
      return { effort, budgetTokens: budget, ...shown }
    }
    case 'adaptive':
      return { effort, budgetTokens: undefined, ...shown }
    default:
      reading.refuse('thinking.type', 'must be enabled, adaptive or disabled')
      return { effort, budgetTokens: undefined, isShown: false }
  }
}

export function readFormat(value: JsonObject, reading: Reading): OutputFormat | undefined {
  const config = value['output_config']
  // The member's name before it became part of the configuration.
  const inConfig = isRecord(config) ? config['format'] : undefined
  const path = inConfig === undefined || inConfig === null ? 'output_format' : 'output_config.format'
  const format = inConfig ?? value['output_format']
  if (format === undefined || format === null) return undefined
  if (!isRecord(format)) return reading.refuse(path, 'must be an object')
  if (format['type'] !== 'json_schema') {
    reading.drop(path)
    return undefined
  }
  const schema = format['schema']
  if (!isRecord(schema)) return reading.refuse(`${path}.schema`, 'must be a JSON schema object')
  return { type: 'json-schema', name: SCHEMA_NAME, description: undefined, schema, isStrict: true }
}

function readConfig(value: JsonObject, reading: Reading): JsonObject {
  const config = value['output_config']
  if (!isRecord(config)) return {}
  reading.dropOthers(config, 'output_config.', CONFIG_MEMBERS)
  return config
}

function readEffort(value: unknown, reading: Reading): Effort | undefined {
  if (value === undefined || value === null) return undefined
  const known = EFFORTS.find((effort) => effort === value)
  if (known === undefined) reading.drop('output_config.effort')
  return known
}

// What Google's Vertex AI wants otherwise of the dialect than Google's own service for developers does.

import { scanObject } from '#dialect/json-text.ts'

/** The members that it counts, in either spelling; others it refuses. Its own request stands in no member. */
const COUNTED = new Set([
  'contents',
  'systemInstruction',
  'system_instruction',
  'tools',
  'generationConfig',
  'generation_config',
])

/** A request as it is counted there. */
export function vertexCount(request: string): string {
  const scan = scanObject(request)
  if ('problem' in scan) return request
  const counted = [...scan.members].filter(([name]) => COUNTED.has(name))
  return `{${counted.map(([name, { start, end }]) => `${JSON.stringify(name)}:${request.slice(start, end)}`).join(',')}}`
}

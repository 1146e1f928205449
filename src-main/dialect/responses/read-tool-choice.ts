// The choice among tools in the responses format.

import { refuse, type Refusal } from '#core/refusal.ts'
import { isRecord } from '#dialect/request-body.ts'
import { LOCAL_SHELL, TOOL_SEARCH, type ToolList } from '#dialect/responses/read-tools.ts'
import type { JsonObject, Tool, ToolChoice } from '#dialect/turn.ts'

const PARAM = 'tool_choice'

/** The choice; one that allows only some tools takes the others out of the list. */
export function readToolChoice(choice: unknown, list: ToolList): ToolChoice | undefined | Refusal {
  if (choice === undefined || choice === null) return undefined
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice }
  if (!isRecord(choice)) return wrong(PARAM, "must be 'auto', 'none', 'required' or an object")
  const { type } = choice
  if (typeof type !== 'string' || type === '') return wrong(`${PARAM}.type`, 'must be a string')
  switch (type) {
    case 'auto':
    case 'none':
    case 'required':
      return { type }
    case 'function':
    case 'custom':
      return readNamed(choice, type, list.tools)
    case 'allowed_tools':
      return readAllowed(choice, list)
    case TOOL_SEARCH:
    case LOCAL_SHELL:
      if (list.tools.some((tool) => isOwn(tool, type))) return { type: 'tool', name: type }
  }
  return { type: 'hosted', name: type }
}

function readNamed(choice: JsonObject, type: 'function' | 'custom', tools: readonly Tool[]): ToolChoice | Refusal {
  // Chat completions nest the name.
  const nested = choice[type]
  const name = isRecord(nested) ? nested['name'] : choice['name']
  if (typeof name !== 'string' || name === '') return wrong(`${PARAM}.name`, 'must be a non-empty string')
  const { namespace } = choice
  if (typeof namespace === 'string' && namespace !== '') return { type: 'tool', name, namespace }
  if (tools.some((tool) => tool.name === name && tool.namespace === undefined)) return { type: 'tool', name }
  // A choice that leaves the namespace out still means the one tool that has the name.
  const only = tools.filter((tool) => tool.name === name)
  return { type: 'tool', name, namespace: only.length === 1 ? only[0]?.namespace : undefined }
}

function readAllowed(choice: JsonObject, list: ToolList): ToolChoice | Refusal {
  // Chat completions nest mode and tools.
  const nested = choice['allowed_tools']
  const { mode, tools } = isRecord(nested) ? nested : choice
  if (mode !== 'auto' && mode !== 'required') return wrong(`${PARAM}.mode`, "must be 'auto' or 'required'")
  if (!Array.isArray(tools) || !tools.every(isRecord)) return wrong(`${PARAM}.tools`, 'must be an array of tools')
  const names = new Set<string>()
  const types = new Set<string>()
  for (const tool of tools) {
    const inner = isRecord(tool['function']) ? tool['function'] : tool
    const { name } = inner
    const namespace = tool['namespace']
    if (tool['type'] === 'namespace') names.add(`${String(name)}\0`)
    else if (typeof name === 'string') names.add(`${typeof namespace === 'string' ? namespace : ''}\0${name}`)
    else if (typeof tool['type'] === 'string') types.add(tool['type'])
  }
  const isAllowed = (tool: Tool) =>
    names.has(`${tool.namespace ?? ''}\0${tool.name}`) ||
    names.has(`\0${tool.name}`) ||
    (tool.namespace !== undefined && names.has(`${tool.namespace}\0`)) ||
    (isOwn(tool, tool.name) && types.has(tool.name))
  list.keep(isAllowed, (type) => types.has(type))
  return { type: mode }
}

/** Whether it is the client's own search or shell, which are chosen by their type. */
function isOwn(tool: Tool, type: string): boolean {
  return tool.name === type && (tool.kind === 'tool-search' || tool.kind === 'local-shell')
}

function wrong(param: string, says: string): Refusal {
  return refuse('invalid_request', `'${param}' ${says}.`, { param })
}

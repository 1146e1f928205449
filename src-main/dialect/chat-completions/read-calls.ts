// Reads the tool calls of an assistant message, in their present form and in the deprecated one with a single function.

import { readClientSeal } from '#dialect/chat-completions/google-seal.ts'
import type { Notes } from '#dialect/chat-completions/notes.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { customArguments } from '#dialect/tools.ts'
import type { JsonObject, ToolCall } from '#dialect/turn.ts'

/** Ids for calls and results of the deprecated form, which knows them by their function's name alone. */
export class FunctionIds {
  #count = 0
  readonly #open = new Map<string, string[]>()

  called(name: string): string {
    const id = `call_function_${this.#count++}`
    const open = this.#open.get(name)
    if (open === undefined) this.#open.set(name, [id])
    else open.push(id)
    return id
  }

  /** The id of the oldest call of that name without a result; a new one where there is none. */
  answered(name: string): string {
    return this.#open.get(name)?.shift() ?? `call_function_${this.#count++}`
  }
}

export function readCalls(message: JsonObject, param: string, ids: FunctionIds, notes: Notes): ToolCall[] {
  const calls: ToolCall[] = []
  const given = message['tool_calls']
  if (given !== undefined && given !== null && !Array.isArray(given)) {
    notes.wrong(`${param}.tool_calls`, 'must be an array of tool calls')
  }
  for (const [index, value] of Array.isArray(given) ? given.entries() : []) {
    const path = `${param}.tool_calls[${index}]`
    const call = isRecord(value) ? readCall(value, path, notes) : notes.wrong(path, 'must be an object')
    if (call !== undefined) calls.push(call)
  }
  const old = message['function_call']
  if (isRecord(old)) {
    const called = readFunction(old, `${param}.function_call`, notes)
    if (called !== undefined) calls.push({ type: 'tool-call', id: ids.called(called.name), ...called })
  }
  return calls
}

function readCall(call: JsonObject, param: string, notes: Notes): ToolCall | undefined {
  const id = call['id']
  if (typeof id !== 'string' || id === '') return notes.wrong(`${param}.id`, 'must be a non-empty string')
  const { custom } = call
  const called = isRecord(custom)
    ? readCustom(custom, `${param}.custom`, notes)
    : readFunction(isRecord(call['function']) ? call['function'] : {}, `${param}.function`, notes)
  return called === undefined ? undefined : { type: 'tool-call', id, ...called, sealed: readClientSeal(call) }
}

type Called = { readonly name: string; readonly arguments: string }

function readCustom(custom: JsonObject, param: string, notes: Notes): Called | undefined {
  const { name, input } = custom
  if (typeof name !== 'string' || name === '') return notes.wrong(`${param}.name`, 'must be a non-empty string')
  if (typeof input !== 'string') return notes.wrong(`${param}.input`, 'must be a string')
  return { name, arguments: customArguments(input) }
}

function readFunction(called: JsonObject, param: string, notes: Notes): Called | undefined {
  const { name } = called
  if (typeof name !== 'string' || name === '') return notes.wrong(`${param}.name`, 'must be a non-empty string')
  return { name, arguments: objectText(called['arguments']) }
}

/** JSON text of an object, whatever the client kept of the arguments: models write broken ones, and histories hold them. */
function objectText(given: unknown): string {
  if (isRecord(given)) return JSON.stringify(given)
  if (typeof given !== 'string' || given.trim() === '') return '{}'
  return isRecord(parseJson(given)) ? given : JSON.stringify({ _raw: given })
}

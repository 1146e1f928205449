// A client's session as its program keeps it: what it was answered goes back with the next request as it came.

import type { ClientFormat } from '#dialect/dialects.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const NAME = 'get_weather'

const ASKING: Readonly<Record<ClientFormat, JsonObject>> = {
  chat: {
    model: 'farebox-model',
    reasoning_effort: 'high',
    tools: [{ type: 'function', function: { name: NAME, parameters: SCHEMA } }],
  },
  messages: {
    model: 'farebox-model',
    max_tokens: 8000,
    thinking: { type: 'enabled', budget_tokens: 4000 },
    tools: [{ name: NAME, input_schema: SCHEMA }],
  },
  responses: {
    model: 'farebox-model',
    store: false,
    reasoning: { effort: 'high', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    tools: [{ type: 'function', name: NAME, strict: false, parameters: SCHEMA }],
  },
  gemini: {
    model: 'farebox-model',
    generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 4000 } },
    tools: [{ functionDeclarations: [{ name: NAME, parametersJsonSchema: SCHEMA }] }],
  },
}

/** The member that holds the conversation. */
const HISTORY: Readonly<Record<ClientFormat, string>> = {
  chat: 'messages',
  messages: 'messages',
  responses: 'input',
  gemini: 'contents',
}

export class Session {
  /** The ids of all calls that the client was given. */
  readonly callIds: string[] = []
  readonly #format: ClientFormat
  readonly #history: JsonObject[] = []
  /** Leaves ids of items out of what it sends back, as Codex does. */
  readonly #stripsIds: boolean

  constructor(format: ClientFormat, options: { readonly stripsIds?: boolean } = {}) {
    this.#format = format
    this.#stripsIds = options.stripsIds === true
    this.#ask('How is the weather?')
  }

  get request(): JsonObject {
    return { ...ASKING[this.#format], [HISTORY[this.#format]]: [...this.#history] }
  }

  /** Takes an answer in, and adds what a client says next: the results of its calls, or another question. */
  goOn(text: string): void {
    const answer = record(parseJson(text))
    const results = this.#take(answer)
    if (results.length > 0) this.#history.push(...results)
    else this.#ask('And tomorrow?')
  }

  #ask(text: string): void {
    const isParts = this.#format === 'gemini'
    this.#history.push(isParts ? { role: 'user', parts: [{ text }] } : { role: 'user', content: text })
  }

  #take(answer: JsonObject): readonly JsonObject[] {
    switch (this.#format) {
      case 'chat': {
        const message = record(list(answer['choices'])[0]?.['message'])
        this.#history.push(message)
        return this.#note(list(message['tool_calls']), 'id').map((id) => ({
          role: 'tool',
          tool_call_id: id,
          content: 'Sunny',
        }))
      }
      case 'messages': {
        const content = list(answer['content'])
        this.#history.push({ role: 'assistant', content })
        const uses = content.filter(({ type }) => type === 'tool_use')
        const results = this.#note(uses, 'id').map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'Sunny' }))
        return results.length === 0 ? [] : [{ role: 'user', content: results }]
      }
      case 'responses': {
        const output = list(answer['output'])
        for (const item of output) this.#history.push(this.#stripsIds ? stripped(item) : item)
        const calls = output.filter(({ type }) => type === 'function_call')
        return this.#note(calls, 'call_id').map((id) => ({
          type: 'function_call_output',
          call_id: id,
          output: 'Sunny',
        }))
      }
      case 'gemini': {
        const content = record(list(answer['candidates'])[0]?.['content'])
        this.#history.push(content)
        const calls = list(content['parts']).flatMap(({ functionCall: call }) => (isRecord(call) ? [call] : []))
        this.#note(calls, 'id')
        const parts = calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { output: 'Sunny' } } }))
        return parts.length === 0 ? [] : [{ role: 'user', parts }]
      }
    }
  }

  #note(calls: readonly JsonObject[], member: string): readonly string[] {
    const ids = calls.map((call) => String(call[member]))
    this.callIds.push(...ids)
    return ids
  }
}

/** An item as Codex keeps it. */
function stripped(item: JsonObject): JsonObject {
  const { id: _id, status: _status, content, ...rest } = item
  if (item['type'] !== 'message') return rest
  return { ...rest, content: list(content).map(({ type, text }) => ({ type, text })) }
}

function record(value: unknown): JsonObject {
  return isRecord(value) ? value : {}
}

function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

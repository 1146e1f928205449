// A provider that holds each request against its vendor's rules, and answers with whatever makes the next one hard: sealed
// reasoning, calls side by side, ids that begin anew with every answer or that nobody else takes.

import { isRecord, parseJson } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { sharesSeals, type ProviderName } from './pair.ts'
import { checkProviderRules } from './provider-rules.ts'

/** `counted` begins with 0 in each answer; so does `odd`, in the form that some models have learnt. */
export type IdKind = 'random' | 'counted' | 'odd'

export class StrictProvider {
  readonly #dialect: ProviderName
  readonly #ids: IdKind
  readonly seals: Set<string>
  #count = 0

  constructor(dialect: ProviderName, ids: IdKind, seals = new Set<string>()) {
    this.#dialect = dialect
    this.#ids = ids
    this.seals = seals
  }

  /** Whether a request brings back something of what it sealed, if it sealed anything. */
  knowsItself(text: string): boolean {
    return this.seals.size === 0 || [...this.seals].some((seal) => text.includes(JSON.stringify(seal)))
  }

  /** A whole answer with so many calls, or with a text where there are none. Throws for a request that it would refuse. */
  answer(text: string, calls: number): JsonObject {
    checkProviderRules(this.#dialect, text, this.seals)
    const asked = parseJson(text)
    this.#count += 1
    const isSealed = !sharesSeals(this.#dialect, 'messages') || (isRecord(asked) && asksForThinking(asked))
    const ids = Array.from({ length: calls }, (_, index) => this.#id(index))
    const given = { calls: ids, seal: isSealed ? this.#seal() : '' }
    switch (this.#dialect) {
      case 'chat-completions':
        return chatAnswer(given)
      case 'messages':
        return messagesAnswer(given)
      case 'responses':
        return responsesAnswer(given, this.#count)
      case 'gemini':
        return geminiAnswer(given)
      case 'bedrock-converse':
        return converseAnswer(given)
    }
  }

  #seal(): string {
    const seal = Buffer.from(`${this.#dialect} seal ${this.#count} of many`).toString('base64')
    this.seals.add(seal)
    return seal
  }

  #id(index: number): string {
    if (this.#ids === 'counted') return `call_${index}`
    if (this.#ids === 'odd') return `functions.get_weather:${index}`
    const mark = `${String(this.#count).padStart(4, '0')}${index}`
    return this.#dialect === 'messages' ? `toolu_01RandomRandom${mark}` : `call_RandomRandom${mark}`
  }
}

type Given = { readonly calls: readonly string[]; readonly seal: string }

const THOUGHT = 'Let me think.'
const TEXT = 'It is sunny.'
const INPUT = { city: 'Bern' }
const CALLED = { name: 'get_weather', arguments: JSON.stringify(INPUT) }

function asksForThinking({ thinking: asked, additionalModelRequestFields: fields }: JsonObject): boolean {
  const thinking = isRecord(fields) ? fields['thinking'] : asked
  return isRecord(thinking) && (thinking['type'] === 'enabled' || thinking['type'] === 'adaptive')
}

function chatAnswer({ calls, seal }: Given): JsonObject {
  const toolCalls = calls.map((id) => ({ id, type: 'function', function: CALLED }))
  const message = {
    role: 'assistant',
    content: calls.length > 0 ? null : TEXT,
    reasoning: THOUGHT,
    reasoning_details: [{ type: 'reasoning.text', text: THOUGHT, signature: seal, format: 'a-v1', index: 0 }],
    ...(calls.length > 0 ? { tool_calls: toolCalls } : {}),
  }
  const finish = calls.length > 0 ? 'tool_calls' : 'stop'
  return { id: 'c', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }] }
}

function messagesAnswer({ calls, seal }: Given): JsonObject {
  const content = [
    ...(seal !== '' ? [{ type: 'thinking', thinking: THOUGHT, signature: seal }] : []),
    ...(calls.length > 0 ? [] : [{ type: 'text', text: TEXT }]),
    ...calls.map((id) => ({ type: 'tool_use', id, name: CALLED.name, input: INPUT })),
  ]
  const stop = { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null }
  return { id: 'm', type: 'message', role: 'assistant', model: 'm', content, ...stop, usage: { output_tokens: 1 } }
}

function responsesAnswer({ calls, seal }: Given, count: number): JsonObject {
  const text = { type: 'output_text', text: TEXT, annotations: [] }
  const output = [
    { id: `rs_${count}a`, type: 'reasoning', summary: [], encrypted_content: seal },
    ...(calls.length > 0
      ? []
      : [{ id: `msg_${count}a`, type: 'message', role: 'assistant', status: 'completed', content: [text] }]),
    ...calls.map((id, index) => ({
      id: `fc_${count}a${index}`,
      type: 'function_call',
      status: 'completed',
      call_id: id,
      ...CALLED,
    })),
  ]
  return { id: 'r', object: 'response', status: 'completed', output }
}

function geminiAnswer({ calls, seal }: Given): JsonObject {
  const parts = [
    { text: THOUGHT, thought: true },
    ...(calls.length > 0 ? [] : [{ text: TEXT, thoughtSignature: seal }]),
    ...calls.map((id, index) => ({
      functionCall: { id, name: CALLED.name, args: INPUT },
      ...(index === 0 ? { thoughtSignature: seal } : {}),
    })),
  ]
  return { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }] }
}

function converseAnswer({ calls, seal }: Given): JsonObject {
  const content = [
    ...(seal !== '' ? [{ reasoningContent: { reasoningText: { text: THOUGHT, signature: seal } } }] : []),
    ...(calls.length > 0 ? [] : [{ text: TEXT }]),
    ...calls.map((id) => ({ toolUse: { toolUseId: id, name: CALLED.name, input: INPUT } })),
  ]
  const stopReason = calls.length > 0 ? 'tool_use' : 'end_turn'
  return { output: { message: { role: 'assistant', content } }, stopReason, usage: { inputTokens: 1, outputTokens: 1 } }
}

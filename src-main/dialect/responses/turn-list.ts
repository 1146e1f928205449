// Puts the items of the responses format together into turns: what an assistant did in one go are several items there.

import { unwrapCallSeal } from '#dialect/call-seal.ts'
import type { AssistantContent, TextContent, ToolCall, ToolResult, Turn, UserContent } from '#dialect/turn.ts'

type Open =
  | { readonly role: 'system'; readonly content: TextContent[] }
  | { readonly role: 'user'; readonly content: UserContent[] }
  | { readonly role: 'assistant'; readonly content: AssistantContent[] }
  | { readonly role: 'tool'; readonly results: ToolResult[] }

export class TurnList {
  readonly #turns: Open[] = []

  get turns(): readonly Turn[] {
    return this.#turns
  }

  system(content: readonly TextContent[]): void {
    if (content.length > 0) this.#turns.push({ role: 'system', content: [...content] })
  }

  user(content: readonly UserContent[]): void {
    if (content.length > 0) this.#turns.push({ role: 'user', content: [...content] })
  }

  assistant(content: readonly AssistantContent[]): void {
    const last = this.#turns.at(-1)
    if (last?.role === 'assistant') for (const part of content) last.content.push(part)
    else if (content.length > 0) this.#turns.push({ role: 'assistant', content: [...content] })
  }

  call(call: ToolCall): void {
    const last = this.#turns.at(-1)
    const before = last?.role === 'assistant' ? last.content.at(-1) : undefined
    const sealed = before?.type === 'reasoning' ? unwrapCallSeal(before.sealed) : undefined
    if (last?.role === 'assistant' && sealed !== undefined) last.content.splice(-1, 1, { ...call, sealed })
    else this.assistant([call])
  }

  result(result: ToolResult): void {
    const last = this.#turns.at(-1)
    if (last?.role === 'tool') last.results.push(result)
    else this.#turns.push({ role: 'tool', results: [result] })
  }
}

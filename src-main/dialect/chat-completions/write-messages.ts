// Writes turns as chat messages. The turns are in order already; what is decided here is what no message can hold and where
// it goes instead: images of a tool's result into a message of the user behind all results, instructions in the middle into
// marked text where the provider takes none there.

import { append } from '#core/append.ts'
import type { Quirks } from '#core/quirks.ts'
import { CallIds } from '#dialect/call-ids.ts'
import { writeGoogleSeal } from '#dialect/chat-completions/google-seal.ts'
import { nineCharIds } from '#dialect/chat-completions/short-ids.ts'
import { writeReasoningDetails } from '#dialect/chat-completions/reasoning-details.ts'
import { ContentWriter, plainText, type Losses } from '#dialect/chat-completions/write-content.ts'
import type {
  AssistantContent,
  JsonObject,
  TextContent,
  ToolCall,
  ToolResult,
  Turn,
  UserContent,
} from '#dialect/turn.ts'

const BREAK = '\n\n'
/** Chat completions have no member that says that a tool failed. */
const ERROR_MARK = '[tool_error] '
/** What the assistant says between the results of tools and the user, for providers that want it to say something there. */
const ACKNOWLEDGEMENT = 'OK.'

type Reasoning = Extract<AssistantContent, { type: 'reasoning' }>

export class MessageWriter {
  readonly #quirks: Quirks
  readonly #losses: Losses
  readonly #content: ContentWriter
  /** undefined where the provider takes any id that a conversation in order has. */
  readonly #ids: CallIds | undefined
  readonly #messages: JsonObject[] = []
  /** Content of the user that is not written yet, so that what follows can join it. */
  #user: UserContent[] = []

  constructor(quirks: Quirks, losses: Losses) {
    this.#quirks = quirks
    this.#ids = quirks.toolIds === 'alphanumeric-9' ? new CallIds(nineCharIds) : undefined
    this.#losses = losses
    this.#content = new ContentWriter(losses, { hasMarks: quirks.cacheMarks })
  }

  /** All messages. `extraSystem` is added to the instructions at the start. */
  write(turns: readonly Turn[], extraSystem: string | undefined): JsonObject[] {
    const leading = turns.findIndex((turn) => turn.role !== 'system')
    const start = leading === -1 ? turns.length : leading
    const system = turns.slice(0, start).flatMap((turn) => (turn.role === 'system' ? turn.content : []))
    if (extraSystem !== undefined) system.push({ type: 'text', text: extraSystem })
    if (system.length > 0) this.#system(system)
    for (const turn of turns.slice(start)) this.#turn(turn)
    this.#flushUser()
    return this.#messages
  }

  #turn(turn: Turn): void {
    switch (turn.role) {
      case 'system':
        if (this.#quirks.laterSystem === 'user') append(this.#user, turn.content.map(markedInstruction))
        else this.#system(turn.content)
        break
      case 'user':
        append(this.#user, turn.content)
        break
      case 'assistant':
        this.#assistant(turn.content)
        break
      case 'tool':
        this.#flushUser()
        for (const result of turn.results) this.#toolResult(result)
    }
  }

  #system(content: readonly TextContent[]): void {
    this.#flushUser()
    this.#messages.push({ role: this.#quirks.systemRole, content: this.#content.content(content) })
  }

  #flushUser(): void {
    if (this.#user.length === 0) return
    if (!this.#quirks.userAfterTool && this.#messages.at(-1)?.['role'] === 'tool') {
      this.#messages.push({ role: 'assistant', content: ACKNOWLEDGEMENT })
    }
    this.#messages.push({ role: 'user', content: this.#content.content(this.#user) })
    this.#user = []
  }

  #assistant(content: readonly AssistantContent[]): void {
    const texts: TextContent[] = []
    const calls: ToolCall[] = []
    const reasoning: Reasoning[] = []
    for (const part of content) {
      if (part.type === 'tool-call') calls.push(part)
      else if (part.type === 'reasoning') reasoning.push(part)
      else if (part.type === 'refusal') texts.push({ type: 'text', text: part.text })
      else texts.push(part)
    }
    const thoughts = this.#reasoning(reasoning, calls.length > 0)
    // Reasoning that the provider does not want back leaves nothing to say.
    if (texts.length === 0 && calls.length === 0 && Object.keys(thoughts).length === 0) return
    this.#flushUser()
    this.#messages.push({
      role: 'assistant',
      // An empty text beside calls becomes an empty block further on, which some providers refuse.
      content: texts.length === 0 ? (calls.length === 0 ? '' : null) : this.#content.content(texts),
      ...thoughts,
      ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => this.#toolCall(call)) }),
    })
  }

  /** The members in which this provider wants its reasoning back. */
  #reasoning(blocks: readonly Reasoning[], hasCalls: boolean): JsonObject {
    const field = this.#quirks.reasoningField
    const takesSeals = field === 'reasoning'
    const native = blocks.filter(({ sealed }) => sealed?.origin === 'chat-completions')
    const sealedCount = blocks.filter(({ sealed }) => sealed !== undefined).length
    if (sealedCount > (takesSeals ? native.length : 0)) this.#losses.names.add('thinking signature')
    const texts = blocks.map(({ text }) => text).filter((text) => text !== '')
    if (field === 'none') {
      if (texts.length > 0) this.#losses.names.add('earlier reasoning')
      return {}
    }
    const details = native.flatMap(({ text, sealed }, index) =>
      sealed === undefined ? [] : writeReasoningDetails(text, sealed, index),
    )
    return {
      // DeepSeek asks for the member beside tool calls even where there was no reasoning.
      ...(texts.length > 0 || (field === 'reasoning_content' && hasCalls) ? { [field]: texts.join(BREAK) } : {}),
      ...(takesSeals && details.length > 0 ? { reasoning_details: details } : {}),
    }
  }

  #toolCall(call: ToolCall): JsonObject {
    if (call.cacheMark !== undefined) this.#losses.names.add('cache_control')
    const called = { name: call.name, arguments: call.arguments === '' ? '{}' : call.arguments }
    const written = { id: this.#ids?.call(call.id) ?? call.id, type: 'function', function: called }
    if (call.sealed === undefined) return written
    if (call.sealed.origin === 'chat-completions') {
      return { ...written, ...writeGoogleSeal(call.sealed) }
    }
    this.#losses.names.add('thinking signature')
    return written
  }

  #toolResult(result: ToolResult): void {
    const id = this.#ids?.result(result.callId) ?? result.callId
    const texts: TextContent[] = []
    const files: UserContent[] = []
    for (const part of result.content) {
      const text = plainText(part)
      if (text !== undefined) texts.push({ type: 'text', text, cacheMark: part.cacheMark })
      else {
        const label = `${part.type} ${files.length / 2 + 1} of ${id}`
        texts.push({ type: 'text', text: `[${label} follows]` })
        files.push({ type: 'text', text: `[${label}]` }, part)
      }
    }
    const [first] = texts
    if (result.isError) texts[0] = { ...first, type: 'text', text: `${ERROR_MARK}${first?.text ?? ''}` }
    const last = texts.at(-1)
    if (result.cacheMark !== undefined && last !== undefined) {
      texts[texts.length - 1] = { ...last, cacheMark: result.cacheMark }
    }
    this.#messages.push({ role: 'tool', tool_call_id: id, content: this.#content.content(texts, '\n') })
    append(this.#user, files)
  }
}

/** Instructions in the words of the user, for providers that take instructions only at the start. */
function markedInstruction(part: TextContent): TextContent {
  return { ...part, text: `<system-reminder>\n${part.text}\n</system-reminder>` }
}

// What a call of these tests holds for its input where it was counted. Apart from the rest, because the tables of the tokenizer are
// large.

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { isRefusal } from '#core/refusal.ts'
import { readRequest } from '#pipeline/endpoints.ts'
import { chatModel } from '../support/farebox.ts'

/** For how many input tokens a chat completion holds credits where its tokens were counted, in a model of `chatModel`. */
export function countedBound(text: string): Promise<number> {
  const request = readRequest('chat', text, Buffer.byteLength(text))
  if (isRefusal(request)) throw new Error(request.message)
  const count = (texts: readonly string[]) => Promise.resolve(texts.reduce((sum, part) => sum + countTokens(part), 0))
  return request.inputBounds.closer(count, chatModel('any').context_window)
}

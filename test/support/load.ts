// Clients that call a Farebox in parallel until it dies, and remember every answer that they got to its last byte together
// with what it must have cost. What an answer costs is in its text, written there by the scripted provider.

import { postChat, type ChatTarget } from './chat.ts'
import type { Behaviour } from './upstream-behaviour.ts'
import type { RecordedRequest } from './upstream.ts'

/** An answer that a client has completely; its charge is in micro-credits at 1 and 2 credits per million tokens. */
export type Completed = { readonly id: string; readonly chargeMicro: number; readonly isStream: boolean }

const MAX_DELAY_MS = 8

/** A provider that takes a different time for each call and reports different tokens, which its text repeats. */
export function costlyAnswers(): (request: RecordedRequest) => Behaviour {
  let calls = 0
  return () => {
    calls += 1
    const input = 1 + (calls % 97)
    const output = 1 + (calls % 31)
    return {
      type: 'answer',
      pieces: ['This answer costs ', `<${input}:${output}>`, ' in all.'],
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      headersAfterMs: calls % MAX_DELAY_MS,
      delayMs: calls % (MAX_DELAY_MS / 2),
    }
  }
}

/** Calls from this many clients at a time, until a call finds nobody. What is completed comes to `completed`, oldest first. */
export async function callUntilDead(target: ChatTarget, clients: number, completed: Completed[]): Promise<void> {
  await Promise.all(Array.from({ length: clients }, (_, index) => client(target, index, completed)))
}

/** Every client alternates between streams and whole answers, half of the clients beginning with the other. */
async function client(target: ChatTarget, index: number, completed: Completed[]): Promise<void> {
  for (let call = index; ; call++) {
    const isStream = call % 2 === 0
    try {
      const response = await postChat(target, isStream ? { stream: true } : {})
      const text = await response.text()
      if (response.status !== 200) throw new Error(`a call was answered ${response.status}: ${text}`)
      const whole = isStream ? wholeStream(text) : (JSON.parse(text) as unknown)
      if (whole === undefined) throw new Error(`a stream ended without its last event: ${text}`)
      completed.push({ id: response.headers.get('x-request-id') ?? '', chargeMicro: chargeIn(text), isStream })
    } catch (error) {
      // Fetch says so when the connection broke or could not be made: the process is dead. All else is a mistake.
      if (error instanceof TypeError) return
      throw error
    }
  }
}

function wholeStream(text: string): string | undefined {
  return text.endsWith('data: [DONE]\n\n') ? text : undefined
}

function chargeIn(text: string): number {
  const [, input = '', output = ''] = /<(\d+):(\d+)>/.exec(text) ?? []
  if (output === '') throw new Error(`an answer without its cost: ${text}`)
  return Number(input) + 2 * Number(output)
}

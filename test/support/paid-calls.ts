// Calls that know what their clients have to pay, from the answers of `costlyAnswers`.

import { postChat, type ChatTarget } from './chat.ts'

export type PaidAnswer = {
  readonly id: string
  readonly isStream: boolean
  readonly status: number
  /** In micro-credits; undefined for an answer of which the client has only a part. */
  readonly paidMicro: number | undefined
}

export async function paidCall(target: ChatTarget, isStream: boolean): Promise<PaidAnswer> {
  const response = await postChat(target, isStream ? { stream: true } : {})
  const text = await response.text()
  const id = response.headers.get('x-request-id') ?? ''
  const [, input, output] = /<(\d+):(\d+)>/.exec(text) ?? []
  const isWhole = response.status === 200 && (!isStream || text.endsWith('data: [DONE]\n\n'))
  const cost = Number(input) + 2 * Number(output)
  const paidMicro = isWhole ? cost : response.status === 200 ? undefined : 0
  return { id, isStream, status: response.status, paidMicro }
}

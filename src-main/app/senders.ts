// How what is told of alerts leaves: over HTTP to webhooks, by SMTP to mailboxes. Both leave by the one way out, so that the same
// addresses are refused as for providers.

import type { AttemptOutcome, SendLetter, SendMessage } from '#alert/deliveries.ts'
import { readMailServer } from '#core/mail-server.ts'
import { ask, type Answer, type NoAnswer } from '#provider/ask.ts'
import type { Connections } from '#provider/connections.ts'
import { post, type MailAnswer, type MailOptions } from '#provider/mail.ts'

export type WayOut = { readonly connections: Connections }

const SEND_LIMIT_MS = 15_000
/** A receiver has nothing to say but its status. */
const MAX_ANSWER_BYTES = 4096
/** How a webhook says that it wants no more. */
const GONE = 410

export function messageSender({ connections }: WayOut, userAgent: string): SendMessage {
  return async ({ url, network }, { headers, body }) =>
    outcomeOf(
      await ask({
        method: 'POST',
        url,
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': userAgent },
        body,
        dispatcherOf: () => connections.pool({ baseUrl: url, network, timeLimits: {} }),
        timeLimitMs: SEND_LIMIT_MS,
        maxBytes: MAX_ANSWER_BYTES,
      }),
    )
}

export function letterSender({ connections }: WayOut, options: Partial<MailOptions> = {}): SendLetter {
  return async ({ url, network, mail: addressing }, letter, password) => {
    const server = readMailServer(url)
    if (typeof server === 'string') return { status: undefined, problem: `Its address ${server}.` }
    const what = { server, network, addressing, password, letter }
    return outcomeOfLetter(await post(what, { connections, timeLimitMs: SEND_LIMIT_MS, ...options }))
  }
}

function outcomeOf(answer: Answer | NoAnswer): AttemptOutcome {
  if (answer.type === 'problem') return noAnswer(answer)
  const { status } = answer
  if (status >= 200 && status < 300) return { status, problem: undefined }
  const isRedirect = status >= 300 && status < 400
  const problem = isRedirect ? `It answered ${status}: redirects are not followed.` : `It answered ${status}.`
  return { status, problem, isFinal: status === GONE }
}

function outcomeOfLetter(answer: MailAnswer): AttemptOutcome {
  switch (answer.type) {
    case 'problem':
      return noAnswer(answer)
    case 'unencrypted':
      return { status: undefined, problem: 'It offers no encryption by STARTTLS.' }
    case 'taken':
      return { status: answer.status, problem: undefined }
    case 'login_refused':
      return { status: answer.status, problem: `It refused the user or the password (${answer.status}).` }
    case 'refused':
      // From 500 on a refusal is meant for good.
      return { status: answer.status, problem: `It answered ${answer.status}.`, isFinal: answer.status >= 500 }
  }
}

function noAnswer({ problem, detail }: NoAnswer): AttemptOutcome {
  const isSentence = problem === 'address_not_allowed'
  const says = isSentence ? detail.replace('The base URL', 'Its address') : `There was no answer (${detail}).`
  return { status: undefined, problem: says }
}

// Why a call that was admitted ended as it did, in a sentence, and what to do about it.

import type { FailureKind } from '#core/failure.ts'
import { REFUSALS } from '#core/refusal.ts'

/** The last request to a provider, as the receipt has it. */
type LastAttempt = {
  readonly provider?: string
  readonly status: number | null
  readonly reason?: string | null
  /** What the provider had against the request, of its words those that are known. */
  readonly words?: string
}

export type EndedCall = {
  readonly outcome: string
  readonly status: number
  /** How often a provider was asked; undefined where nobody noted it. */
  readonly attempts: readonly LastAttempt[] | undefined
}

export type Why = { readonly says: string; readonly advice: string | null }

export function whyCall({ outcome, status, attempts }: EndedCall): Why {
  const last = attempts?.at(-1)
  const provider = last?.provider === undefined ? 'The provider' : `The provider '${last.provider}'`
  const tries = attempts?.length ?? 1
  switch (outcome) {
    case 'answered': {
      const after = tries > 1 ? ` It took ${tries} requests to providers.` : ''
      return { says: `The call was answered.${after}`, advice: null }
    }
    case 'cut':
      return {
        says: `The answer broke off. ${sentenceOf(provider, last)}`,
        advice:
          'The client got a part, and what it got is charged. Ask again; if it happens often, look at the health of the provider.',
      }
    case 'refused':
      return {
        says: `${provider} refused the request (${status})${last?.words === undefined ? '' : `: ${last.words}`}.`,
        advice: 'The request itself is at fault, or this model cannot do what it asks for. Nothing was charged.',
      }
    case 'client_gone':
      return {
        says: 'The client ended the call before the answer was whole.',
        advice:
          'What it got is charged. Tools do this when somebody presses stop, or when they wait for less time than the answer took.',
      }
    case 'out_of_credits':
      return {
        says: 'The answer was ended because the credits held for it were used up.',
        advice: 'Add credits to the key, or ask for fewer output tokens.',
      }
    case 'interrupted':
      return {
        says: 'Farebox ended while the call was running.',
        advice: 'Nothing was charged. Ask again.',
      }
    default:
      if (attempts?.length === 0) return whyNobodyWasAsked(status)
      return {
        says: `No answer was to be had${tries > 1 ? ` in ${tries} requests` : ''}. ${sentenceOf(provider, last)}`,
        advice: last?.reason === 'secret' ? SECRET_ADVICE : HEALTH_ADVICE,
      }
  }
}

/** Answered by what providers had said shortly before: they are not asked for each call while they fail. */
function whyNobodyWasAsked(status: number): Why {
  if (status === REFUSALS.provider_refuses.status || status === REFUSALS.provider_refuses_response.status) {
    return {
      says: "No provider was asked: the one for this model refused Farebox's secret or account shortly before.",
      advice: SECRET_ADVICE,
    }
  }
  return {
    says: 'No provider was asked: those for this model had failed shortly before, or Farebox ended the call first.',
    advice: HEALTH_ADVICE,
  }
}

const HEALTH_ADVICE = 'Nothing was charged. Ask again; if it goes on, look at the health of the provider.'
const SECRET_ADVICE =
  "Look at the provider's secret and account: it refused Farebox, not the tool. Nothing was charged."

const REASONS: Readonly<Record<Exclude<FailureKind, 'aborted'>, string>> = {
  connect: 'could not be reached',
  address: 'is at an address where Farebox may not go',
  timeout: 'took too long',
  closed: 'ended the connection too early',
  malformed: 'sent something that is no answer',
  too_large: 'sent more than Farebox takes',
  secret: "refused Farebox's secret or account",
  status: 'answered with an error',
  reported: 'reported an error inside its answer',
}

function sentenceOf(provider: string, last: LastAttempt | undefined): string {
  const reason = last?.reason
  if (typeof reason !== 'string' || !isKnown(reason))
    return 'Farebox ended it: its key was blocked, its time was over, or Farebox was closed.'
  return `${provider} ${REASONS[reason]}${typeof last?.status === 'number' ? ` (${last.status})` : ''}.`
}

function isKnown(reason: string): reason is keyof typeof REASONS {
  return Object.hasOwn(REASONS, reason)
}

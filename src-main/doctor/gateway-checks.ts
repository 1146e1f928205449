// What keeps the gateway itself from answering a call: secrets, providers and models.

import type { Found, MachineCheck } from '#doctor/check.ts'
import type { GatewayPicture } from '#doctor/picture.ts'

export const GATEWAY_CHECKS: readonly MachineCheck[] = [
  {
    id: 'secrets',
    find: ({ gateway }) =>
      gateway?.status.attention.map((message) => ({
        message,
        fix: "Unlock or open the keychain of this user, or set the secret anew; 'farebox status' shows whether it helped.",
      })),
  },
  { id: 'cycle_ahead', find: ({ gateway, nowMs }) => gateway?.keys.flatMap((key) => cycleAhead(key, nowMs)) },
  { id: 'no_model', find: ({ gateway }) => gateway && noModel(gateway) },
  { id: 'provider_refused', find: ({ gateway }) => gateway && ofTargets(gateway, ['refused'], refusedProvider) },
  {
    id: 'provider_failing',
    find: ({ gateway }) => gateway && ofTargets(gateway, ['failing', 'open', 'half-open', 'cooling'], failingProvider),
  },
]

/** A clock that is set back by less is none that was wrong. */
const MAX_AHEAD_MS = 3_600_000

function cycleAhead(
  { name, status, package: itsPackage, balance }: GatewayPicture['keys'][number],
  nowMs: number,
): Found[] {
  const { cycle_started_at: startedAt, next_reset_at: resetAt } = balance
  if (status === 'revoked' || Date.parse(startedAt) <= nowMs + MAX_AHEAD_MS) return []
  const until = resetAt === null ? 'It goes on, since prepaid credits never end' : `It goes on, and ends at ${resetAt}`
  return [
    {
      message: `The cycle of the key '${name}' began by a clock that was ahead, at ${startedAt}. ${until}.`,
      fix: `Check the clock of this machine. 'farebox package edit ${itsPackage} --reset-used' begins a cycle now, for all keys of that package.`,
    },
  ]
}

function noModel({ models }: GatewayPicture): Found | undefined {
  if (models.some(({ kind, enabled, price }) => kind === 'chat' && enabled && price !== null)) return undefined
  const unpriced = models.find(({ kind, price }) => kind === 'chat' && price === null)
  if (unpriced !== undefined) {
    return {
      message: 'No chat model has a price, and one without a price cannot be called.',
      fix: `Give one a price with 'farebox model price ${unpriced.id} --input ... --output ...', and enable it.`,
    }
  }
  return {
    message: 'There is no chat model that can be called.',
    fix: "Add one with 'farebox provider discover --add' or 'farebox provider models', or enable one with 'farebox model enable'.",
  }
}

type Target = GatewayPicture['status']['targets'][number]

/** One sentence for each provider, however many of its models are concerned. */
function ofTargets(
  { status }: GatewayPicture,
  states: readonly Target['state'][],
  say: (target: Target, models: string) => Found,
): Found[] {
  const concerned = Map.groupBy(
    status.targets.filter(({ state }) => states.includes(state)),
    ({ provider }) => provider,
  )
  return [...concerned.values()].flatMap((targets) => {
    const [first] = targets
    return first === undefined ? [] : [say(first, targets.map(({ model }) => model).join(', '))]
  })
}

function refusedProvider({ provider, last_failure: failure }: Target, models: string): Found {
  const status = failure?.status ?? null
  return {
    message: `The provider '${provider}' refuses our secret${status === null ? '' : ` (status ${status})`}, for ${models}.`,
    fix: `Look at it with 'farebox provider test ${provider}', and give it another one with 'farebox provider secret ${provider}'.`,
  }
}

function failingProvider({ provider, last_failure: failure, state }: Target, models: string): Found {
  const why =
    failure === null ? '' : `: ${failure.reason}${failure.status === null ? '' : ` (status ${failure.status})`}`
  const how = state === 'failing' ? 'failed the last time' : 'fails, and is left out for now'
  return {
    message: `The provider '${provider}' ${how}, for ${models}${why}.`,
    fix: `See what 'farebox provider test ${provider}' says.`,
  }
}

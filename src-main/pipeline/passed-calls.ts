// Calls that nobody translates: what is made ready of them for a provider.

import { refuse } from '#core/refusal.ts'
import { quirksOf } from '#dialect/dialects.ts'
import type { PassedDialect, PassedRequest } from '#dialect/passed-dialect.ts'
import type { EndpointRequest } from '#pipeline/endpoints.ts'

type PassedOn = Pick<EndpointRequest, 'isStream' | 'units' | 'choices' | 'outputCap' | 'prepare'>

/** A request that nobody translates: what a provider does not have itself is refused. */
export function passedOn(client: PassedDialect, request: PassedRequest): PassedOn {
  return {
    isStream: request.isStream,
    units: request.units,
    choices: request.choices,
    outputCap: request.outputCap,
    prepare: ({ provider, target }) => {
      const quirks = quirksOf(provider)
      if (!quirks.routes.includes(client.family)) {
        const message = `The provider of '${request.model}' has no ${client.makes} here.`
        return refuse('not_found', message, { param: 'model' })
      }
      return {
        isPassed: true,
        isStream: request.isStream,
        path: client.path,
        dropped: [],
        body: (outputCap) => request.edit({ upstreamModel: target.upstreamModel, outputCap, quirks }),
        newReader: () => request.newReader(),
        readError: undefined,
      }
    },
  }
}

// Calls whose path names the model and what is asked of it: `/v1beta/models/{model}:generateContent`.

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { refuse } from '#core/refusal.ts'
import { countOf, ENDPOINTS } from '#dialect/dialects.ts'
import type { AskedInPath, PathMethods } from '#dialect/dialect.ts'
import type { EndpointName } from '#pipeline/endpoints.ts'
import { askedIn } from '#server/http/asked-path.ts'
import { sendRefusal } from '#server/http/refusals.ts'

/** A call at such a path, and how it is served. */
export type NamedCall = { readonly format: EndpointName; readonly isCount: boolean; readonly asked: AskedInPath }

type ServeNamed = (request: FastifyRequest, reply: FastifyReply, call: NamedCall) => Promise<FastifyReply>
type Method = Omit<NamedCall, 'asked'>

export function registerModelPaths(
  app: FastifyInstance,
  optionsOf: (format: EndpointName) => RouteShorthandOptions,
  serve: ServeNamed,
): void {
  for (const [path, { format, methods }] of methodsByPath()) {
    app.post(`${path}/*`, optionsOf(format), (request, reply) => {
      const asked = askedIn(request)
      const method = asked === undefined ? undefined : methods.get(asked.method)
      if (asked !== undefined && method !== undefined) return serve(request, reply, { ...method, asked })
      const names = [...methods.keys()].join(', ')
      return sendRefusal(reply, refuse('not_found', `A path here ends in a model and one of these: ${names}.`))
    })
  }
}

type Path = { readonly format: EndpointName; readonly methods: Map<string, Method> }

/** Formats may share a path; its errors are those of the first. */
function methodsByPath(): ReadonlyMap<string, Path> {
  const byPath = new Map<string, Path>()
  const add = (format: EndpointName, given: PathMethods | undefined, isCount: boolean) => {
    for (const path of given?.below ?? []) {
      const known = byPath.get(path) ?? { format, methods: new Map() }
      byPath.set(path, known)
      for (const name of given?.names ?? []) known.methods.set(name, { format, isCount })
    }
  }
  for (const [format, endpoint] of ENDPOINTS) {
    add(format, endpoint.methods, false)
    add(format, countOf(endpoint)?.methods, true)
  }
  return byPath
}

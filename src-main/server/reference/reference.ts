// Where the OpenAPI document of the API is served. What makes it is loaded by the first request: most gateways are never asked.

import type { FastifyInstance, FastifyReply } from 'fastify'

export type ReferenceDeps = { readonly version: string }

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  // It may be of another version after the next start.
  'cache-control': 'no-cache',
}

export function registerReference(app: FastifyInstance, { version }: ReferenceDeps): void {
  let document: Promise<string> | undefined
  app.get(
    '/docs/openapi.json',
    { config: { access: 'public', lan: 'never' } },
    async (_, reply): Promise<FastifyReply> => {
      document ??= import('#server/reference/openapi.ts').then(({ openApiDocument }) =>
        JSON.stringify(openApiDocument(version)),
      )
      return reply.headers(HEADERS).send(await document)
    },
  )
}

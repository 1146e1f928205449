// Where the reference of the API is served: as an OpenAPI document and as a page. What makes them is loaded by the first request.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export type ReferenceDeps = { readonly version: string }

/** Nothing but our own style, no script and no frame: the page is text. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  // It may be of another version after the next start.
  'cache-control': 'no-cache',
}

export function registerReference(app: FastifyInstance, { version }: ReferenceDeps): void {
  let made: Promise<Made> | undefined
  const reference = () => (made ??= make(version))
  const serve = (path: string, type: string, text: (made: Made, request: FastifyRequest) => string) => {
    app.get(path, { config: { access: 'public', lan: 'never' } }, async (request, reply): Promise<FastifyReply> => {
      const answer = text(await reference(), request)
      return reply.headers(PAGE_HEADERS).header('content-type', `${type}; charset=utf-8`).send(answer)
    })
  }
  serve('/docs', 'text/html', ({ page }, request) => page(addressOf(request)))
  serve('/docs/openapi.json', 'application/json', ({ document }) => document)
  serve('/docs/reference.css', 'text/css', ({ style }) => style)
}

type Made = {
  readonly document: string
  /** For the address under which the reader reaches the gateway. */
  readonly page: (address: string) => string
  readonly style: string
}

async function make(version: string): Promise<Made> {
  const [{ openApiDocument }, { referencePage }, { loadReferenceStyle }] = await Promise.all([
    import('#server/reference/openapi.ts'),
    import('#server/reference/reference-page.ts'),
    import('#catalog/resources.ts'),
  ])
  const document = openApiDocument(version)
  return { document: JSON.stringify(document), page: referencePage(document), style: loadReferenceStyle() }
}

/** The guard lets no Host through that is not ours. */
function addressOf(request: FastifyRequest): string {
  return `${request.protocol}://${request.headers.host ?? ''}`
}

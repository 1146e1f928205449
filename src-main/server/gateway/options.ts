// Answers OPTIONS at every path that tools ask: which methods it has. Web pages are none of them: what a browser asks before it sends a
// request from a page is refused by the guard as the request would be, and no answer of ours tells a browser that a page may go on.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Also answers for the routes that are registered until the function is called that is returned. */
export function answerOptions(app: FastifyInstance): () => void {
  const methodsAt = new Map<string, Set<string>>()
  let isOver = false
  app.addHook('onRoute', ({ url, method, config }) => {
    if (isOver || method === 'OPTIONS' || config?.lan === 'never') return
    const known = methodsAt.get(url)
    const methods = known ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    if (known !== undefined) return
    methodsAt.set(url, methods)
    const answer = async (_request: FastifyRequest, reply: FastifyReply) => {
      const all = [...methodsAt].flatMap(([pattern, own]) => (covers(pattern, url) ? [...own] : []))
      return reply
        .code(204)
        .header('allow', [...new Set(all), 'OPTIONS'].join(', '))
        .send()
    }
    // Before a body would be read: it has none that anybody wants.
    const lan = config?.lan === 'public' ? 'public' : 'key'
    app.options(url, { config: { access: 'public', lan }, onRequest: answer }, answer)
  })
  return () => {
    isOver = true
  }
}

/** Whether whatever the one pattern fits is also of the other. */
function covers(pattern: string, url: string): boolean {
  return pattern === url || (pattern.endsWith('/*') && url.startsWith(pattern.slice(0, -1)))
}

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, brotliCompressSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { registerDashboard } from '#server/dashboard/dashboard-routes.ts'

const SCRIPT = 'console.log("dashboard")'

let root: string
let app: FastifyInstance

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'farebox-dashboard-'))
  app = Fastify({ exposeHeadRoutes: false })
  registerDashboard(app, { dashboardDir: join(root, 'dist', 'dashboard'), ownCommand: 'npm run --silent farebox --' })
})
afterEach(async () => {
  await app.close()
  await rm(root, { recursive: true, force: true })
})

async function build(): Promise<void> {
  const assets = join(root, 'dist', 'dashboard', 'assets')
  await mkdir(assets, { recursive: true })
  await writeFile(
    join(assets, '..', 'index.html'),
    '<meta name="csp-nonce" content="__NONCE__"><script src="/assets/a-1.js">',
  )
  await writeFile(join(assets, '..', 'secret.txt'), 'not to be served')
  await writeFile(join(assets, 'a-1.js'), SCRIPT)
  await writeFile(join(assets, 'a-1.js.gz'), gzipSync(SCRIPT))
  await writeFile(join(assets, 'a-1.js.br'), brotliCompressSync(SCRIPT))
  await writeFile(join(assets, 'font-1.woff2'), 'font')
  await writeFile(join(assets, 'a-1.js.map'), 'map')
}

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers })

describe('the page', () => {
  it.each(['/', '/app', '/app/keys', '/app/a/b?c=d'])(
    'is at %s, with a nonce of its own and a policy for it',
    async (url) => {
      await build()
      const [first, second] = [await get(url), await get(url)]
      const nonce = /content="([^"]+)"/.exec(first.body)?.[1] ?? ''
      expect(Buffer.from(nonce, 'base64')).toHaveLength(16)
      expect(first.headers['content-security-policy']).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
          `connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; ` +
          `require-trusted-types-for 'script'`,
      )
      expect(first.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      })
      expect(second.body).not.toBe(first.body)
    },
  )

  it('answers a HEAD like a GET, without the page', async () => {
    await build()
    const answer = await app.inject({ method: 'HEAD', url: '/app/keys' })
    expect([answer.statusCode, answer.body]).toEqual([200, ''])
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
  })

  it('says what to do where it is not built', async () => {
    const answer = await get('/')
    expect(answer.statusCode).toBe(503)
    expect(answer.body).toContain('npm ci')
    expect(answer.body).toContain('npm run build')
    expect(answer.headers['refresh']).toBe('30')
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
    expect(answer.body).not.toMatch(/<script|<style|style=/)
    expect((await get('/assets/a-1.js')).statusCode).toBe(404)
  })

  it('is served as soon as it is built', async () => {
    expect([(await get('/')).statusCode, (await get('/assets/a-1.js')).statusCode]).toEqual([503, 404])
    await build()
    expect([(await get('/')).statusCode, (await get('/assets/a-1.js')).statusCode]).toEqual([200, 200])
  })
})

describe('an asset', () => {
  beforeEach(build)

  it.each([
    ['', undefined, Buffer.from(SCRIPT)],
    ['identity', undefined, Buffer.from(SCRIPT)],
    ['gzip', 'gzip', gzipSync(SCRIPT)],
    ['gzip, deflate, br, zstd', 'br', brotliCompressSync(SCRIPT)],
    ['br;q=0, gzip;q=0.5', 'gzip', gzipSync(SCRIPT)],
    ['BR', 'br', brotliCompressSync(SCRIPT)],
    ['*', undefined, Buffer.from(SCRIPT)],
  ])('is compressed for whom accepts %j', async (accepted, encoding, bytes) => {
    const answer = await get('/assets/a-1.js', { 'accept-encoding': accepted })
    expect(answer.headers['content-encoding']).toBe(encoding)
    expect(answer.rawPayload).toEqual(bytes)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    })
  })

  it('has no compressed copy where the build made none', async () => {
    const answer = await get('/assets/font-1.woff2', { 'accept-encoding': 'br' })
    expect([answer.headers['content-encoding'], answer.body, answer.headers['content-type']]).toEqual([
      undefined,
      'font',
      'font/woff2',
    ])
  })

  it.each([
    '/assets/none.js',
    '/assets/',
    '/assets/../index.html',
    '/assets/%2e%2e%2findex.html',
    '/assets/..%2fsecret.txt',
    '/assets/%2fetc%2fpasswd',
    '/assets/a-1.js.map',
    '/assets/a-1.js.br',
    '/assets/__proto__',
    '/secret.txt',
    '/index.html',
  ])('is not there: %s', async (url) => {
    expect((await get(url)).statusCode).toBe(404)
  })
})

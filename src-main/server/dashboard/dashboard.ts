// Serves the dashboard's files as the build left them: one page, and assets under names that have their content's hash. Files are
// found in a table made from the folder's listing, so that no path of a request ever becomes a path on the disk.

import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { refuse } from '#core/refusal.ts'
import { sendRefusal } from '#server/http/refusals.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}
/** Smallest first. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const
const LOOK_AGAIN_S = 30

type Asset = {
  readonly path: string
  readonly contentType: string
  /** Compressed copies, by the name of their encoding. */
  readonly copies: ReadonlyMap<string, string>
}
type Files = { readonly page: string; readonly assets: ReadonlyMap<string, Asset> }

export type Dashboard = {
  /** The page, under a fresh nonce; where it is not built a page that says so. */
  sendPage(reply: FastifyReply): Promise<FastifyReply>
  sendAsset(reply: FastifyReply, name: string, acceptedEncodings: string): Promise<FastifyReply>
}

/** `ownCommand`: how the command line is typed in this installation, which the page shows. */
export function openDashboard(folder: string, ownCommand: string): Dashboard {
  let files: Files | undefined
  return {
    async sendPage(reply) {
      files ??= await findFiles(folder)
      return files === undefined ? sendMissing(reply) : sendHtml(reply, files.page.replace('__COMMAND__', ownCommand))
    },
    async sendAsset(reply, name, acceptedEncodings) {
      files ??= await findFiles(folder)
      const asset = files?.assets.get(name)
      if (asset === undefined) return sendRefusal(reply, refuse('not_found', 'There is no such file.'))
      return sendFile(reply, asset, acceptedEncodings)
    },
  }
}

/** undefined where it is not built. It may be while the gateway runs, so that every request looks again. */
async function findFiles(folder: string): Promise<Files | undefined> {
  if (!existsSync(join(folder, 'index.html'))) return undefined
  const names = new Set(readdirSync(join(folder, 'assets')))
  const pathOf = (name: string) => join(folder, 'assets', name)
  const assets = new Map<string, Asset>()
  for (const name of names) {
    const contentType = TYPES[extname(name)]
    if (contentType === undefined) continue
    const copies = ENCODINGS.filter(({ suffix }) => names.has(name + suffix))
    const paths = copies.map((encoding) => [encoding.name, pathOf(name + encoding.suffix)] as const)
    assets.set(name, { path: pathOf(name), contentType, copies: new Map(paths) })
  }
  return { page: await readFile(join(folder, 'index.html'), 'utf8'), assets }
}

async function sendFile(reply: FastifyReply, asset: Asset, acceptedEncodings: string): Promise<FastifyReply> {
  const encoding = ENCODINGS.find(({ name }) => asset.copies.has(name) && accepts(acceptedEncodings, name))
  const path = encoding === undefined ? undefined : asset.copies.get(encoding.name)
  if (encoding !== undefined) reply.header('content-encoding', encoding.name)
  return (
    reply
      .header('content-type', asset.contentType)
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('vary', 'accept-encoding')
      .header('x-content-type-options', 'nosniff')
      .header('cross-origin-resource-policy', 'same-origin')
      // For a picture that somebody opens by itself.
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
      .send(await readFile(path ?? asset.path))
  )
}

function accepts(acceptedEncodings: string, name: string): boolean {
  return acceptedEncodings.split(',').some((part) => {
    const [encoding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    return encoding === name && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

function sendHtml(reply: FastifyReply, page: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64')
  return reply
    .headers(pageHeaders(nonce))
    .header('content-type', 'text/html; charset=utf-8')
    .send(page.replaceAll('__NONCE__', nonce))
}

/** No other origin may load, frame, open or be told anything, and no script runs but files of ours. */
function pageHeaders(nonce: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "connect-src 'self'",
      "font-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  }
}

function sendMissing(reply: FastifyReply): FastifyReply {
  const how = '<code>npm ci</code> installs what builds it, and <code>npm run build</code> builds it.'
  const text = `<p>The dashboard is not built. ${how}</p><p>The gateway itself runs.</p>`
  const head = '<meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Farebox</title>'
  const seconds = String(LOOK_AGAIN_S)
  reply.code(503).header('refresh', seconds).header('retry-after', seconds)
  return sendHtml(reply, `<!doctype html><html lang="en"><head>${head}</head><body>${text}</body></html>`)
}

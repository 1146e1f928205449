// Claude on Google's Vertex AI: the path names the model, a member the version of the format, and of the betas it takes those that it knows.

import type { Platform } from '#core/quirks.ts'

const VERSION = 'vertex-2023-10-16'
/** Says the version in a request; undefined on platforms that read it in a header. */
export function versionAt(platform: Platform): string | undefined {
  return platform === 'vertex' ? VERSION : undefined
}

/** Where a model is asked, below the base URL, which ends in `publishers/anthropic` there. */
export function messagesPath(upstreamModel: string, isStream: boolean, platform: Platform): string {
  if (platform === 'own') return '/messages'
  // A version stands behind an at sign, which is written as it is.
  const name = encodeURIComponent(upstreamModel.toWellFormed()).replaceAll('%40', '@')
  return `/models/${name}:${isStream ? 'streamRawPredict' : 'rawPredict'}`
}

/** All models are counted at one place. */
export function countPath(platform: Platform): string {
  return platform === 'own' ? '/messages/count_tokens' : '/models/count-tokens:rawPredict'
}

const BETA_HEADER = 'anthropic-beta'
/** As far as is known on 2026-11-23. It refuses a request with any other, so that new ones are left out until they stand here. */
const BETAS = new Set([
  'compact-2026-01-12',
  'compact-2026-09-04',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dangerous-tool-use-2026-09-03',
  'interleaved-thinking-2025-05-14',
  'per-turn-control-2026-07-01',
  'thinking-binding-controls-2026-08-01',
  'thinking-display-updates-2026-08-18',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
])

type HandedOn = Readonly<Record<string, string>>

/** The client's headers with the betas that the platform takes. */
export function headersAt(headers: HandedOn, platform: Platform): HandedOn {
  const given = headers[BETA_HEADER]
  if (platform === 'own' || given === undefined) return headers
  const { [BETA_HEADER]: _all, ...rest } = headers
  const taken = given.split(',').filter((name) => BETAS.has(name.trim()))
  return taken.length === 0 ? rest : { ...rest, [BETA_HEADER]: taken.join(',') }
}

// Links that begin with `farebox://`: what a page elsewhere may propose to whoever follows one. A link is shown and never carried out, and
// it brings no secret: whatever starts a program with a link hands it over where others of the machine can read it. So what a link may say is
// listed here, member by member, and everything else makes it none.

import { WIRE_DIALECTS } from '#contract/dialects.ts'
import { isName } from '#contract/visible.ts'

export type FareboxLink =
  | {
      readonly action: 'add-provider'
      readonly preset: string | undefined
      readonly name: string | undefined
      readonly baseUrl: string | undefined
      readonly dialect: (typeof WIRE_DIALECTS)[number] | undefined
    }
  /** `address` is where the gateway is that somebody was invited to. The code of the invite is a secret, and is in no link. */
  | { readonly action: 'accept-invite'; readonly address: string; readonly fingerprint: string | undefined }

/** Why a text is no link that can be shown. What was wrong in it is not repeated: it was written by a stranger. */
export const LINK_PROBLEMS = ['form', 'length', 'action', 'member', 'value', 'secret'] as const
export type LinkProblem = (typeof LINK_PROBLEMS)[number]
export type LinkReading =
  { readonly type: 'link'; readonly link: FareboxLink } | { readonly type: 'problem'; readonly problem: LinkProblem }

export const LINK_SCHEME = 'farebox'
const MAX_LINK_CHARACTERS = 1000
const MAX_URL_CHARACTERS = 300
const FORM = /^farebox:\/\/([a-z-]{1,30})\/?(?:\?([\u0021-\u007e]*))?$/
const MEMBERS = {
  'add-provider': ['preset', 'name', 'base_url', 'dialect'],
  'accept-invite': ['address', 'fingerprint'],
} as const satisfies Readonly<Record<FareboxLink['action'], readonly string[]>>

/** Names that people give to secrets, and beginnings of well-known ones. */
const SECRET_NAME = /key|secret|token|password|code|auth|invite|ticket/i
const SECRET_VALUE =
  /(?<![\w-])(?:sk-|fbx_|key_|gh[oprsu]_|github_pat_|xox[a-z]-|AIza|glpat-|hf_|gsk_|xai-)[\w-]{8,}|[\w-]{40,}/

/** Reads a link. Never throws, whatever the text is. */
export function readLink(text: string): LinkReading {
  const found = text.length > MAX_LINK_CHARACTERS ? 'length' : linkIn(text)
  return typeof found === 'string' ? { type: 'problem', problem: found } : { type: 'link', link: found }
}

function linkIn(text: string): FareboxLink | LinkProblem {
  const [, action, query = ''] = FORM.exec(text) ?? []
  if (action === undefined || query.includes('#')) return 'form'
  if (action !== 'add-provider' && action !== 'accept-invite') return 'action'
  const members = membersIn(query, MEMBERS[action])
  if (typeof members === 'string') return members
  return action === 'add-provider' ? providerOf(members) : inviteOf(members)
}

type Members = ReadonlyMap<string, string>

function membersIn(query: string, known: readonly string[]): Members | LinkProblem {
  const members = new Map<string, string>()
  for (const pair of query === '' ? [] : query.split('&')) {
    const [name = '', raw, ...more] = pair.split('=')
    if (!known.includes(name)) return SECRET_NAME.test(name) ? 'secret' : 'member'
    const value = raw === undefined || more.length > 0 ? undefined : decoded(raw)
    if (value === undefined || value === '' || members.has(name) || !isName(value)) return 'value'
    members.set(name, value)
  }
  return members
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    // It is no text in UTF-8.
    return undefined
  }
}

function providerOf(members: Members): FareboxLink | LinkProblem {
  const [preset, name, address, dialectName] = MEMBERS['add-provider'].map((member) => members.get(member))
  const baseUrl = address === undefined ? undefined : baseUrlIn(address)
  const dialect = WIRE_DIALECTS.find((one) => one === dialectName)
  const isWrong =
    (preset === undefined && address === undefined) ||
    (preset !== undefined && !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(preset)) ||
    [preset, name].some((text) => text !== undefined && text.length > 100) ||
    (address !== undefined && baseUrl === undefined) ||
    (dialectName !== undefined && dialect === undefined)
  if ([preset, name, baseUrl].some((text) => text !== undefined && SECRET_VALUE.test(text))) return 'secret'
  return isWrong ? 'value' : { action: 'add-provider', preset, name, baseUrl, dialect }
}

function inviteOf(members: Members): FareboxLink | LinkProblem {
  const [address = '', fingerprint] = MEMBERS['accept-invite'].map((member) => members.get(member))
  const url = urlIn(address)
  if (url?.protocol !== 'https:' || url.pathname !== '/' || SECRET_VALUE.test(url.hostname)) return 'value'
  if (fingerprint !== undefined && !/^[0-9A-F]{2}(?::[0-9A-F]{2}){31}$/.test(fingerprint)) return 'value'
  return { action: 'accept-invite', address: url.origin, fingerprint }
}

/** In the spelling that connections are made by: `http://0x7f.1` is 127.0.0.1. */
function baseUrlIn(text: string): string | undefined {
  return urlIn(text)?.href.replace(/\/$/, '')
}

/** An address without a user, a question or a fragment, in which a secret could be. */
function urlIn(text: string): URL | undefined {
  if (text.length > MAX_URL_CHARACTERS || !/^https?:\/\/[^\s?#@\\]+$/.test(text)) return undefined
  return URL.parse(text) ?? undefined
}

/**
 * Whether an address is no public name: this machine, its network, a bare name or a number. It may well be meant, and somebody should see
 * it before they go on.
 */
export function isNearAddress(address: string): boolean {
  const host = URL.parse(address)?.hostname.replace(/\.$/, '') ?? ''
  const isNumber = host.startsWith('[') || /^[\d.]+$/.test(host)
  return isNumber || !host.includes('.') || /\.(?:localhost|local|internal|intranet|lan|home|corp|arpa)$/.test(host)
}

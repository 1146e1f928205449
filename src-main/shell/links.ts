// Links that begin with `farebox://`, as the system hands them over: each becomes a page of the dashboard that shows what it proposes, or a
// sentence. Nothing else ever comes of one.

import { app } from 'electron'
import { LINK_SCHEME, readLink, type LinkProblem } from '#contract/link.ts'
import type { LinkPage } from '#shell/menu.ts'

const SENTENCES: Readonly<Record<LinkProblem, string>> = {
  form: 'The link does not have the form of a link to Farebox.',
  length: 'The link is longer than a link to Farebox may be.',
  action: 'The link asks for something that links cannot propose.',
  member: 'The link says something that links cannot say.',
  value: 'Something in the link is missing, written twice, or not of the right kind.',
  secret: 'The link brings a secret, or what looks like one. Links never need one.',
}

export type LinkPlace =
  { readonly type: 'page'; readonly page: LinkPage } | { readonly type: 'sentence'; readonly sentence: string }

/** Where a link leads. What a stranger wrote is in no sentence. */
export function placeOfLink(link: string): LinkPlace {
  const reading = readLink(link)
  return reading.type === 'link'
    ? { type: 'page', page: `link?to=${encodeURIComponent(link)}` }
    : { type: 'sentence', sentence: SENTENCES[reading.problem] }
}

/** The other systems learn it from the package. */
export function registerLinks({ platform }: { readonly platform: NodeJS.Platform }): void {
  if (platform === 'win32' && app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME)
}

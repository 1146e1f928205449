// Finds out from the head of a call who it was made for. Clients can write what they like there, so that few are told apart: so many of
// each key on a day, and of all keys. What comes beyond is counted as `other`; no call is refused for it.

import {
  cleanName,
  cleanTags,
  isPlainSession,
  MAX_SESSION,
  MAX_TAGS,
  OTHER,
  type Attribution,
  type Party,
} from '#core/attribution.ts'
import { clientTool, SESSION_HEADERS, type SentHeaders } from '#core/client-tools.ts'
import { DAY_MS } from '#core/calendar.ts'
import type { Key } from '#core/entities.ts'

const PROJECT_HEADER = 'x-farebox-project'
const TAGS_HEADER = 'x-farebox-tags'

/** Parties of one key on a day, and of all keys. */
export const MAX_PARTIES = 100
const MAX_ALL = 20_000
/** What was written differently and means the same is remembered up to here, so that it need not be read again. */
const MAX_WRITTEN = 100
const MAX_REMEMBERED = 512

export type AttributionsDeps = {
  readonly nowMs: () => number
  /** Of the id of a session that cannot be kept as it is. */
  readonly hash: (text: string) => string
  /** Whether somebody has set limits for a project at the moment. */
  readonly isProject: (name: string) => boolean
}

/** What is known of one key, as it was set up when that became known. */
type KeyParties = { key: Key; readonly told: Set<string>; readonly written: Map<string, Written> }

/** What something written means; it holds as long as the project that is named there has limits, or none, as it had then. */
type Written = { readonly party: Party; readonly named: string | undefined; readonly isDenied: boolean }

export class Attributions {
  readonly #deps: AttributionsDeps
  readonly #keys = new Map<string, KeyParties>()
  #day = 0
  #count = 0

  constructor(deps: AttributionsDeps) {
    this.#deps = deps
  }

  of(headers: SentHeaders, key: Key): Attribution {
    return { ...this.#partyOf(headers, key), session: sessionOf(headers, this.#deps.hash) }
  }

  #partyOf(headers: SentHeaders, key: Key): Party {
    const { told, written } = this.#known(key)
    const text = `${textOf(headers, 'user-agent')}\n${textOf(headers, PROJECT_HEADER)}\n${textOf(headers, TAGS_HEADER)}`
    // Of clients with one user agent some may be told apart by this header.
    const name = `${text}\n${headers[SESSION_HEADERS[0]] === undefined}`
    const before = written.get(name)
    if (before !== undefined && this.#isDenied(before.named, key) === before.isDenied) return before.party
    const named = projectOf(headers, key)
    const isDenied = this.#isDenied(named, key)
    const project = isDenied ? OTHER : named
    const party = this.#told(partyIn(headers, project, key), told) ?? knownPartOf(headers, project, key)
    if (written.size < MAX_WRITTEN && name.length <= MAX_REMEMBERED) written.set(name, { party, named, isDenied })
    return party
  }

  /** The budget of a project that has limits is for the keys that are set to it: a client could use it up by naming it. */
  #isDenied(named: string | undefined, key: Key): boolean {
    return named !== undefined && named !== key.project && this.#deps.isProject(named)
  }

  /** The party, where it is one of those that are told apart. */
  #told(party: Party, told: Set<string>): Party | undefined {
    const name = JSON.stringify(party)
    if (told.has(name)) return party
    if (told.size >= MAX_PARTIES || this.#count >= MAX_ALL) return undefined
    told.add(name)
    this.#count += 1
    return party
  }

  #known(key: Key): KeyParties {
    const day = Math.floor(this.#deps.nowMs() / DAY_MS)
    if (day !== this.#day) {
      this.#day = day
      this.#count = 0
      this.#keys.clear()
    }
    let known = this.#keys.get(key.id)
    if (known === undefined) this.#keys.set(key.id, (known = { key, told: new Set(), written: new Map() }))
    if (known.key !== key) {
      known.key = key
      known.written.clear()
    }
    return known
  }
}

function partyIn(headers: SentHeaders, project: string | undefined, key: Key): Party {
  return { tool: key.tool ?? clientTool(headers)?.tool, project, tags: tagsOf(headers, key) }
}

/** What of a party is told apart in any case, because it is one of few. */
function knownPartOf(headers: SentHeaders, project: string | undefined, key: Key): Party {
  const client = clientTool(headers)
  const tool = client === undefined || client.isKnown ? client?.tool : OTHER
  const isKnown = project === undefined || project === key.project
  return { tool: key.tool ?? tool, project: isKnown ? project : OTHER, tags: key.tags ?? [] }
}

/** What a key is set to holds for all of its calls, whatever its client says. */
function projectOf(headers: SentHeaders, key: Key): string | undefined {
  const text = textOf(headers, PROJECT_HEADER)
  return key.project ?? (text === '' ? undefined : (cleanName(text) ?? OTHER))
}

/** Those of the key come first, where there are too many. */
function tagsOf(headers: SentHeaders, { tags = [] }: Key): readonly string[] {
  const text = textOf(headers, TAGS_HEADER)
  return text === '' ? tags : cleanTags([...tags, ...text.split(',', 4 * MAX_TAGS)])
}

/** The session that a call was made in; what cannot be kept as it is becomes a hash. */
function sessionOf(headers: SentHeaders, hash: AttributionsDeps['hash']): string | undefined {
  for (const name of SESSION_HEADERS) {
    const id = headers[name]
    if (typeof id === 'string' && id !== '' && id.length <= MAX_SESSION) return sessionName(id, hash)
  }
  return undefined
}

/** What a session is called here. */
export function sessionName(id: string, hash: AttributionsDeps['hash']): string {
  return isPlainSession(id) ? id : `hash:${hash(id)}`
}

/** Empty where the header is missing, or came twice. */
function textOf(headers: SentHeaders, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

// JSON as text: finds where the members of the outermost object stand, so that a request can be passed on byte for byte with
// only some of them changed, and bounds how deep it is nested. It skips over strings and counts brackets; whether the text
// is valid JSON is for JSON.parse to say.

/** Deeper than any real request; a bound because others recurse over what we pass on. */
const MAX_DEPTH = 64
/** A string of this length that begins like base64 is media, not text to be counted as tokens. */
const MEDIA_STRING_LENGTH = 2048
/** In quotes, after the head of a data URL or without one; with the slashes and line ends that JSON may escape. */
const BASE64_START = /^"(?:data:[^,"]*,)?[\w+/=\\-]*$/

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c
const COLON = 0x3a

/** Where a member's value stands in the text, from its first to after its last character. */
export type Span = { readonly start: number; readonly end: number }

export type ObjectScan = {
  readonly members: ReadonlyMap<string, Span>
  /** Index of the brace that closes the object. */
  readonly closingBrace: number
  /** Characters in strings that are embedded media, and how many such strings there are. */
  readonly mediaLength: number
  readonly mediaParts: number
}

export type ScanProblem = {
  readonly problem: 'not-an-object' | 'too-deep' | 'duplicate-member'
  readonly name?: string
}

/**
 * Finds the members of the outermost object. A member that stands twice is a problem: two readers of the same request could
 * each believe a different one, and one of them sets the price.
 */
export function scanObject(text: string): ObjectScan | ScanProblem {
  const members = new Map<string, Span>()
  let depth = 0
  let name: string | undefined
  let valueStart = -1
  let mediaLength = 0
  let mediaParts = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      const end = stringEnd(text, index)
      if (depth === 1 && valueStart === -1) {
        name = memberName(text.slice(index, end))
        if (name !== undefined && members.has(name)) return { problem: 'duplicate-member', name }
      } else if (isMedia(text, index, end)) {
        mediaLength += end - index
        mediaParts += 1
      }
      index = end - 1
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1
      if (depth > MAX_DEPTH) return { problem: 'too-deep' }
      if (depth === 1 && code === OPEN_BRACKET) return { problem: 'not-an-object' }
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1
      if (depth > 0) continue
      if (name !== undefined) members.set(name, span(text, valueStart, index))
      return { members, closingBrace: index, mediaLength, mediaParts }
    } else if (depth === 1 && code === COLON) {
      valueStart = index + 1
    } else if (depth === 1 && code === COMMA) {
      if (name !== undefined) members.set(name, span(text, valueStart, index))
      name = undefined
      valueStart = -1
    }
  }
  return { problem: 'not-an-object' }
}

/** Where the items of an array stand in its text, which is valid JSON. */
export function scanArray(text: string): readonly Span[] {
  const items: Span[] = []
  let depth = 0
  let start = text.indexOf('[') + 1
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) index = stringEnd(text, index) - 1
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1
    const isEnd = depth === 0 && code === CLOSE_BRACKET
    if (!isEnd && (depth !== 1 || code !== COMMA)) continue
    const item = span(text, start, index)
    if (item.end > item.start) items.push(item)
    if (isEnd) return items
    start = index + 1
  }
  return items
}

/** The text with members replaced or, where they are missing, added. Values are JSON text. All else stays as it is. */
export function editObject(text: string, scan: ObjectScan, edits: ReadonlyMap<string, string>): string {
  if (edits.size === 0) return text
  let result = ''
  let from = 0
  // Members stand in the scan in the order of the text.
  for (const [name, { start, end }] of scan.members) {
    const value = edits.get(name)
    if (value === undefined) continue
    result += text.slice(from, start) + value
    from = end
  }
  result += text.slice(from, scan.closingBrace)
  let separator = scan.members.size === 0 ? '' : ','
  for (const [name, value] of edits) {
    if (scan.members.has(name)) continue
    result += `${separator}${JSON.stringify(name)}:${value}`
    separator = ','
  }
  return result + text.slice(scan.closingBrace)
}

/** The text without one member and the comma that went with it. */
export function removeMember(text: string, scan: ObjectScan, name: string): string {
  const where = scan.members.get(name)
  if (where === undefined) return text
  const quoted = text.lastIndexOf('"', text.lastIndexOf(':', where.start))
  const before = text.lastIndexOf('"', quoted - 1)
  const comma = text.lastIndexOf(',', before)
  // The first member is followed by its comma, every other one comes after it.
  const isFirst = text.slice(0, before).trim() === '{'
  if (!isFirst) return text.slice(0, comma) + text.slice(where.end)
  return text.slice(0, before) + text.slice(where.end).replace(/^\s*,\s*/, '')
}

/** The text of an object without one member, wherever it stands. */
export function withoutMember(text: string, name: string): string {
  const scan = scanObject(text)
  return 'problem' in scan ? text : removeMember(text, scan, name)
}

/** Index after the quote that closes the string, or the end of the text for a string that is never closed. */
export function stringEnd(text: string, open: number): number {
  let close = text.indexOf('"', open + 1)
  while (close !== -1) {
    let backslashes = 0
    while (text.charCodeAt(close - 1 - backslashes) === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return close + 1
    close = text.indexOf('"', close + 1)
  }
  return text.length
}

/** A member's name with its escapes resolved, so that `mod\u0065l` cannot hide a second `model`. */
export function memberName(quoted: string): string | undefined {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return String(JSON.parse(quoted))
  } catch {
    // Not a JSON string; JSON.parse will refuse the whole text.
    return undefined
  }
}

function isMedia(text: string, start: number, end: number): boolean {
  if (end - start < MEDIA_STRING_LENGTH) return false
  return BASE64_START.test(text.slice(start, start + 256))
}

function span(text: string, start: number, end: number): Span {
  let first = start
  let after = end
  while (first < after && isSpace(text.charCodeAt(first))) first += 1
  while (after > first && isSpace(text.charCodeAt(after - 1))) after -= 1
  return { start: first, end: after }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

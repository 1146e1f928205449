// Takes out of an answer what belongs to somebody: texts become others of the same shape, byte for byte as long, so that pieces can be
// cut where they were cut. A letter always becomes the same letter, so that what is doubled, lost or cut stays so. Members are
// replaced unless they are known to be the format's own words.

/** Members whose values are words of the formats and say nothing of an account or a text. */
const KEPT = new Set(
  `type object role status event name code param model modelVersion modality finish_reason stop_reason finishReason reason
  blockReason category probability service_tier effort phase truncation tool_choice verbosity format mode trafficType`.split(
    /\s+/,
  ),
)
/** Members that name something, by which other events speak of it. */
const IDS =
  /^(id|responseId|(item|call|tool_call|tool_use|response|previous_response|request)_id|system_fingerprint|safety_identifier)$/
/** What errors say is what tools read; only what looks like a name of an account, a key or an address is taken out of it. */
const WORDS_OF_ERRORS = 'message'
const NAMES_IN_ERRORS = /https?:\/\/\S+|[^\s"\\]+@[^\s"\\]+|[A-Za-z0-9*.-]*[-_*][A-Za-z0-9*._-]{7,}/g
/** A name of a fine-tuned model has the account's name in it. */
const OWN_MODEL = /^ft:/

/** The same for a whole body: one JSON value, or events with one in each of their data lines. */
export function replaceTexts(body: string): string {
  const ids = new Map<string, string>()
  const keys: string[] = []
  let key = ''
  let out = ''
  for (let at = 0; at < body.length; at += 1) {
    const character = body[at] ?? ''
    if (character === '"') {
      const end = endOfString(body, at)
      const raw = body.slice(at + 1, end)
      const isKey = /^\s*:/.test(body.slice(end + 1, end + 20))
      if (isKey) key = raw
      out += `"${isKey ? raw : replaceValue(key, raw, ids)}"`
      at = end
      continue
    }
    if (character === '{' || character === '[') keys.push(key)
    else if (character === '}' || character === ']') key = keys.pop() ?? ''
    out += character
  }
  return out
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function replaceValue(key: string, raw: string, ids: Map<string, string>): string {
  if (KEPT.has(key) && !OWN_MODEL.test(raw)) return raw
  if (key === WORDS_OF_ERRORS) return raw.replace(NAMES_IN_ERRORS, replaceCharacters)
  if (!IDS.test(key)) return replaceCharacters(raw)
  const known = ids.get(raw) ?? newId(raw, ids.size)
  ids.set(raw, known)
  return known
}

/** As long as the old one, with its prefix, and unlike every other: ids are told apart by a number at their end. */
function newId(raw: string, number: number): string {
  const prefix = /^[a-z]+[-_]/.exec(raw)?.[0] ?? ''
  const length = Buffer.byteLength(raw) - prefix.length
  const digits = String(number)
  return digits.length > length ? 'x'.repeat(Buffer.byteLength(raw)) : prefix + digits.padStart(length, 'x')
}

/**
 * Letters, digits and everything beyond ASCII. What JSON means something by stays: escapes, those of JSON inside of a text too,
 * and its three words.
 */
const REPLACED = /\\\\u[0-9a-fA-F]{4}|\\u[0-9a-fA-F]{4}|\\\\.|\\.|\b(?:true|false|null)\b|[A-Za-z0-9]|[^\0-\x7f]/gu

function replaceCharacters(raw: string): string {
  return raw.replace(REPLACED, (found) => {
    if (/^\\+u/.test(found)) return found.slice(0, -4) + replaceUnit(Number.parseInt(found.slice(-4), 16))
    if (found.length > 1 && /^[\\a-z]/.test(found)) return found
    if (/[a-z]/.test(found)) return 'x'
    if (/[A-Z]/.test(found)) return 'X'
    // A number that begins with 0 would be no JSON.
    if (/[0-9]/.test(found)) return '1'
    return ['', '', 'æ', '世', '😀'][Buffer.byteLength(found)] ?? found
  })
}

/** A code unit as four hexadecimal digits; halves of a pair stay halves, and control characters stay. */
function replaceUnit(unit: number): string {
  if (unit < 0x20) return unit.toString(16).padStart(4, '0')
  if (unit >= 0xd800 && unit < 0xdc00) return 'd83d'
  return unit >= 0xdc00 && unit < 0xe000 ? 'de00' : '00e6'
}

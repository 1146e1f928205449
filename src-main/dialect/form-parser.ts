// Reads a form (multipart/form-data) as it comes. Nothing of a part waits here but what may be the beginning of a boundary, so that a
// file of any size takes no memory. What is not as the format says is refused: a provider could read it in another way.

/** What stands in a form, in its order. A text or a file comes in pieces between its head and its end. */
export type FormEvent =
  ({ readonly type: 'head' } & PartHead) | { readonly type: 'piece'; readonly bytes: Buffer } | { readonly type: 'end' }

export type PartHead = {
  readonly name: string
  /** Of a file alone. */
  readonly fileName: string | undefined
  readonly mediaType: string | undefined
}

export class MalformedForm extends Error {}

/** Of the head of a part, which names it. */
const MAX_HEAD_BYTES = 4096
const BOUNDARY = /;[ \t]*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'()+,./:=?-]{1,70}))[ \t]*(?:;|$)/i
const LINE_END = '\r\n'
const HEAD_END = '\r\n\r\n'
const NOTHING = Buffer.alloc(0)

/** The boundary that a content type names; undefined where it names none. */
export function boundaryOf(contentType: string): string | undefined {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? []
  return quoted ?? plain
}

export class FormParser {
  readonly #delimiter: Buffer
  /** A boundary begins a line, of which the first one has none before it. */
  #rest: Buffer = Buffer.from(LINE_END)
  #state: 'preamble' | 'line' | 'head' | 'content' | 'over' = 'preamble'

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`${LINE_END}--${boundary}`, 'latin1')
  }

  /** Whether the last boundary has been there. */
  get isOver(): boolean {
    return this.#state === 'over'
  }

  /** Throws MalformedForm. */
  *push(chunk: Buffer): Generator<FormEvent> {
    let rest: Buffer | undefined = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    this.#rest = NOTHING
    while (rest !== undefined) rest = yield* this.#step(rest)
  }

  /** Goes on by one step, and returns what is left; undefined where more has to come. */
  *#step(bytes: Buffer): Generator<FormEvent, Buffer | undefined> {
    switch (this.#state) {
      case 'preamble':
      case 'content':
        return yield* this.#content(bytes)
      case 'line':
        return this.#line(bytes)
      case 'head':
        return yield* this.#head(bytes)
      case 'over':
        return undefined
    }
  }

  *#content(bytes: Buffer): Generator<FormEvent, Buffer | undefined> {
    const isPart = this.#state === 'content'
    const at = bytes.indexOf(this.#delimiter)
    const end = at === -1 ? bytes.length - this.#begun(bytes) : at
    if (isPart && end > 0) yield { type: 'piece', bytes: bytes.subarray(0, end) }
    if (at === -1) return this.#wait(bytes.subarray(end))
    if (isPart) yield { type: 'end' }
    this.#state = 'line'
    return bytes.subarray(at + this.#delimiter.length)
  }

  /** How many bytes at the end may be the beginning of a boundary. */
  #begun(bytes: Buffer): number {
    const from = Math.max(0, bytes.length - this.#delimiter.length + 1)
    for (let at = bytes.indexOf(LINE_END[0] ?? '', from); at !== -1; at = bytes.indexOf(LINE_END[0] ?? '', at + 1)) {
      const length = bytes.length - at
      if (bytes.subarray(at).equals(this.#delimiter.subarray(0, length))) return length
    }
    return 0
  }

  #line(bytes: Buffer): Buffer | undefined {
    if (bytes.length < 2) return this.#wait(bytes)
    const mark = bytes.toString('latin1', 0, 2)
    if (mark !== '--' && mark !== LINE_END) throw new MalformedForm('a boundary is not followed by the end of its line')
    this.#state = mark === '--' ? 'over' : 'head'
    return bytes.subarray(2)
  }

  *#head(bytes: Buffer): Generator<FormEvent, Buffer | undefined> {
    const end = bytes.indexOf(HEAD_END)
    if (end > MAX_HEAD_BYTES || (end === -1 && bytes.length > MAX_HEAD_BYTES + HEAD_END.length)) {
      throw new MalformedForm('the head of a part is too long')
    }
    if (end === -1) return this.#wait(bytes)
    yield { type: 'head', ...readHead(bytes.toString('utf8', 0, end)) }
    this.#state = 'content'
    return bytes.subarray(end + HEAD_END.length)
  }

  /** Kept as a copy: what it came in may be large. */
  #wait(bytes: Buffer): undefined {
    this.#rest = Buffer.from(bytes)
  }
}

/** The spaces around the value are cut off elsewhere: an expression that looks for them could take minutes over a head that is full of them. */
const HEADER = /^([\w-]+):([^\r\n\0]*)$/
const DISPOSITION = /^form-data(?=[ \t]*(?:;|$))/i
const PARAMETER = /[ \t]*;[ \t]*([\w-]+\*?)=(?:"((?:[^"\\]|\\[^])*)"|([^\s";\\]+))/y

function readHead(text: string): PartHead {
  const headers = new Map<string, string>()
  for (const line of text.split(LINE_END)) {
    const [, name = '', value = ''] = HEADER.exec(line) ?? []
    if (name === '') throw new MalformedForm('the head of a part has a line that is no header')
    once(headers, name, value.trim())
  }
  const parameters = readParameters(headers.get('content-disposition') ?? '')
  const name = parameters.get('name')
  if (name === undefined) throw new MalformedForm('a part has no name')
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary'
  if (!['7bit', '8bit', 'binary'].includes(encoding)) throw new MalformedForm('a part is encoded')
  return {
    name,
    fileName: encodedName(parameters.get('filename*')) ?? parameters.get('filename'),
    mediaType: headers.get('content-type'),
  }
}

function readParameters(disposition: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  const [kind] = DISPOSITION.exec(disposition) ?? []
  let at = kind?.length ?? 0
  while (at < disposition.length) {
    PARAMETER.lastIndex = at
    const [all = '', name = '', quoted, plain = ''] = PARAMETER.exec(disposition) ?? []
    if (kind === undefined || all === '') throw new MalformedForm('a part does not say what it is')
    once(parameters, name, quoted?.replaceAll(/\\(["\\])/g, '$1') ?? plain)
    at += all.length
  }
  return parameters
}

/** Of two of one name, two programs could each believe another. */
function once(known: Map<string, string>, name: string, value: string): void {
  const lower = name.toLowerCase()
  if (known.has(lower)) throw new MalformedForm('the head of a part says something twice')
  known.set(lower, value)
}

/** Python's older libraries write names so that are not in ASCII. */
function encodedName(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  try {
    return decodeURIComponent(/^utf-8'[\w-]*'(.*)$/i.exec(value)?.[1] ?? '')
  } catch {
    throw new MalformedForm('the name of a file is not readable')
  }
}

// What a client brings back in the Gemini format from answers that providers of other dialects gave and Farebox translated: signatures in
// our wrapping, calls without any, and ids of calls. Gemini refuses requests that hold a signature it cannot read, and its newest models
// those in which a call of the present turn has none.

import type { ClientRequest, PassTarget } from '#dialect/dialect.ts'
import { isWrappedSignature, readSignature, WRAPPED_START } from '#dialect/gemini/client-seal.ts'
import { field, spellingOf } from '#dialect/gemini/fields.ts'
import { modelFacts } from '#dialect/gemini/model-facts.ts'
import { NO_SIGNATURE } from '#dialect/gemini/model-parts.ts'
import { CallIds, plainIds } from '#dialect/call-ids.ts'
import { append } from '#core/append.ts'
import { editedMembers, type JsonEdit } from '#dialect/json-edit.ts'
import { IdEdits, UNMENDED, type Mended } from '#dialect/mended.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** More than any id that Farebox or a provider makes. */
const MAX_ID_LENGTH = 64
const CALLS = /"function(?:C|_c)all"/

export function mendGeminiPass({ body }: ClientRequest, { upstreamModel }: PassTarget): Mended {
  const name = spellingOf(body.value, 'contents')
  const contents = name === undefined ? undefined : body.value[name]
  if (name === undefined || !Array.isArray(contents)) return UNMENDED
  const { needsSignatures } = modelFacts(upstreamModel)
  const dropped = new Set<string>()
  const edits: JsonEdit[] = [...idEdits(contents, name)]
  const hasForeign = body.text.includes(`"${WRAPPED_START}`)
  if (hasForeign || (needsSignatures && CALLS.test(body.text))) {
    append(edits, sealEdits(contents, { name, needsSignatures, dropped }))
  }
  const members = editedMembers(body, edits)
  return members.size === 0 ? UNMENDED : { members, dropped: [...dropped] }
}

type Seals = { readonly name: string; readonly needsSignatures: boolean; readonly dropped: Set<string> }

function sealEdits(contents: readonly unknown[], { name, needsSignatures, dropped }: Seals): readonly JsonEdit[] {
  const edits: JsonEdit[] = []
  const lastUser = contents.findLastIndex((content) => isRecord(content) && isUsers(content))
  for (const [index, content] of contents.entries()) {
    const parts: unknown = isRecord(content) ? content['parts'] : undefined
    if (!isRecord(content) || content['role'] !== 'model' || !Array.isArray(parts)) continue
    const mend = { path: [name, index], signsFirstCall: needsSignatures && index > lastUser }
    append(edits, contentEdits(parts.filter(isRecord), mend, dropped))
  }
  return edits
}

/** Calls and results that have ids; where the client leaves them out, order decides, and nothing is put in. */
function idEdits(contents: readonly unknown[], name: string): readonly JsonEdit[] {
  const ids = new IdEdits(new CallIds(plainIds(MAX_ID_LENGTH)))
  for (const [index, content] of contents.entries()) {
    const parts: unknown = isRecord(content) ? content['parts'] : undefined
    if (isRecord(content) && content['role'] !== 'model') ids.other()
    if (!Array.isArray(parts)) continue
    for (const [at, part] of parts.entries()) {
      if (!isRecord(part)) continue
      const path = [name, index, 'parts', at]
      const call = spellingOf(part, 'functionCall')
      const response = spellingOf(part, 'functionResponse')
      if (call !== undefined) ids.call(idIn(part[call]), [...path, call, 'id'])
      else if (response !== undefined) ids.result(idIn(part[response]), [...path, response, 'id'])
    }
  }
  return ids.edits
}

function idIn(call: unknown): unknown {
  return isRecord(call) ? call['id'] : undefined
}

type Mend = { readonly path: readonly (string | number)[]; readonly signsFirstCall: boolean }

function contentEdits(parts: readonly JsonObject[], { path, signsFirstCall }: Mend, dropped: Set<string>): JsonEdit[] {
  const edits: JsonEdit[] = []
  let kept = 0
  let isFirstCall = true
  for (const [at, part] of parts.entries()) {
    const isCall = isRecord(field(part, 'functionCall'))
    const isMissing = signsFirstCall && isCall && isFirstCall
    if (isCall) isFirstCall = false
    const spelling = spellingOf(part, 'thoughtSignature')
    const given = spelling === undefined ? undefined : part[spelling]
    const isForeign = typeof given === 'string' && isWrappedSignature(given)
    const own = ownSignature(given) ?? (isMissing ? NO_SIGNATURE : undefined)
    if (isForeign && own === undefined && (part['thought'] === true || part['text'] === '')) {
      edits.push({ path: [...path, 'parts', at], value: undefined })
      dropped.add('earlier reasoning')
      continue
    }
    kept += 1
    if (own === given) continue
    if (isForeign && ownSignature(given) === undefined) dropped.add('thinking signature')
    const value = own === undefined ? undefined : JSON.stringify(own)
    edits.push({ path: [...path, 'parts', at, spelling ?? 'thoughtSignature'], value })
  }
  // A turn that was nothing but reasoning is gone with it: an empty one is refused.
  return kept === 0 && parts.length > 0 ? [{ path, value: undefined }] : edits
}

/** The signature as Gemini gave it; undefined for one of another provider, and for none. */
function ownSignature(given: unknown): string | undefined {
  const sealed = readSignature(given)
  return sealed?.origin === 'gemini' ? sealed.value : undefined
}

/** Whether the user said it, and it is not the result of a call. */
function isUsers({ role, parts }: JsonObject): boolean {
  if (role === 'model' || role === 'function' || !Array.isArray(parts)) return false
  return !parts.some((part) => isRecord(part) && isRecord(field(part, 'functionResponse')))
}

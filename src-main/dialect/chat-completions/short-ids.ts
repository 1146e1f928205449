// Short identifiers in the place of long ones, always the same for the same: providers bound the length of some, and prompt
// caches and abuse checks need them to stay what they were. They need to differ, not to be secret.

import type { IdRule } from '#dialect/call-ids.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'

/** The bound that OpenAI, Zhipu and others share. */
const MAX_USER_LENGTH = 64
const CALL_ID_LENGTH = 9

/** Two FNV-1a lanes with their bits mixed at the end, as 16 hexadecimal digits. */
function digest(text: string): string {
  let [left, right] = [0x811c9dc5, 0x9747b28c]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    left = Math.imul(left ^ code, 0x01000193)
    right = Math.imul(right ^ code, 0x85ebca6b)
  }
  return (
    hex(left ^ Math.imul(right ^ (right >>> 15), 0xc2b2ae35)) + hex(right ^ Math.imul(left ^ (left >>> 13), 0x27d4eb2f))
  )
}

function hex(value: number): string {
  return ((value ^ (value >>> 16)) >>> 0).toString(16).padStart(8, '0')
}

/** An end user as a provider can take it. What changes with each session is left out: it is about who, not when. */
export function shortUser(user: string): string {
  const value = user.startsWith('{') ? parseJson(user) : undefined
  if (isRecord(value)) {
    const lasting = Object.entries(value).filter(([name]) => !/session/i.test(name))
    return `user_${digest(JSON.stringify(lasting))}`
  }
  if (user.length <= MAX_USER_LENGTH) return user
  const session = user.indexOf('_session_')
  return `user_${digest(session > 0 ? user.slice(0, session) : user)}`
}

/** Tool call ids of nine letters and digits, which is all that Mistral takes. */
export const nineCharIds: IdRule = (id, attempt) => {
  if (attempt > 1) return digest(`${id}\0${attempt - 1}`).slice(0, CALL_ID_LENGTH)
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : digest(id).slice(0, CALL_ID_LENGTH)
}

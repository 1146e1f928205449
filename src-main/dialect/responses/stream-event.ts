// How events of the responses format are written.

export const DONE = 'data: [DONE]\n\n'

/** An answer that broke off is told once more at its end, unless it is longer than this: nobody waits for that much again. */
export const MAX_REPEATED = 4 * 1024 * 1024

/** One event; `members` is the JSON text of its members but for the type and the number. */
export function streamEvent(type: string, sequence: number, members: string): string {
  return `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence},${members}}\n\n`
}

/** An event that OpenAI's own clients know and skip. */
export function keepAliveEvent(sequence: number): string {
  return `event: keepalive\ndata: {"type":"keepalive","sequence_number":${sequence}}\n\n`
}

// How events of the responses format are written.

export const DONE = 'data: [DONE]\n\n'

/** One event; `members` is the JSON text of its members but for the type and the number. */
export function streamEvent(type: string, sequence: number, members: string): string {
  return `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence},${members}}\n\n`
}

/** An event that OpenAI's own clients know and skip. */
export function keepAliveEvent(sequence: number): string {
  return `event: keepalive\ndata: {"type":"keepalive","sequence_number":${sequence}}\n\n`
}

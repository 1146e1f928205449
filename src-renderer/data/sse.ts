// Reads server-sent events out of text that arrives in pieces.

export type ServerEvent = { readonly id: string | undefined; readonly event: string; readonly data: string }

/** An event larger than this is not one of ours; without a bound it would fill the memory of the page. */
const MAX_CHARACTERS = 1_000_000

/** Takes the next piece of text and gives the events that it completes. Throws a RangeError for an event without an end. */
export function eventReader(): (piece: string) => ServerEvent[] {
  let rest = ''
  return (piece) => {
    rest += piece.replaceAll('\r', '')
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    if (rest.length > MAX_CHARACTERS) throw new RangeError('an event of the server has no end')
    return blocks.flatMap((block) => parsed(block) ?? [])
  }
}

function parsed(block: string): ServerEvent | undefined {
  const fields = block.split('\n').map((line) => /^([^:]+)(?:: ?(.*))?$/.exec(line))
  const valuesOf = (name: string) => fields.flatMap((field) => (field?.[1] === name ? [field[2] ?? ''] : []))
  const data = valuesOf('data')
  if (data.length === 0) return undefined
  return { id: valuesOf('id').at(-1), event: valuesOf('event').at(-1) ?? 'message', data: data.join('\n') }
}

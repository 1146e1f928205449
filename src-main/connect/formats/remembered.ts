// One parse for one text. An edit reads each text several times: to see what it says, where a member is, and whether the result is right.

/**
 * Remembers what came of the last text, which nobody may change, until the edit is over: files of megabytes and their trees have no business
 * in a gateway that runs for weeks. An edit has no pause, so that it is over when what was to be done at once is done.
 */
export function remembered<Parsed>(parse: (text: string) => Parsed): (text: string) => Parsed {
  let last: { readonly text: string; readonly parsed: Parsed } | undefined
  return (text) => {
    if (last?.text === text) return last.parsed
    if (last === undefined) queueMicrotask(() => (last = undefined))
    last = { text, parsed: parse(text) }
    return last.parsed
  }
}

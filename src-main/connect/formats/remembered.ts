// One parse for one text. An edit reads each text several times: to see what it says, where a member is, and whether the result is right.

/**
 * Remembers what came of the last text, which nobody may change. The memory is free to go as soon as the edit is done, for files of
 * megabytes and their trees have no business in a gateway that runs for weeks.
 */
export function remembered<Parsed>(parse: (text: string) => Parsed): (text: string) => Parsed {
  let last: WeakRef<{ readonly text: string; readonly parsed: Parsed }> | undefined
  return (text) => {
    const known = last?.deref()
    if (known?.text === text) return known.parsed
    const parsed = parse(text)
    last = new WeakRef({ text, parsed })
    return parsed
  }
}

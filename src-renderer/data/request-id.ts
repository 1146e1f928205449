const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/

/** The id of a request in what somebody typed or pasted, such as the text of an error; undefined where there is none. */
export function idIn(text: string): string | undefined {
  return ID.exec(text.toLowerCase())?.[0]
}

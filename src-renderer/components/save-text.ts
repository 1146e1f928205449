/** Hands a text to the browser as a file to save; nothing is sent anywhere. */
export function saveText(fileName: string, type: string, text: string): void {
  saveBlob(fileName, new Blob([text], { type }))
}

/** The same for what is no text. */
export function saveBlob(fileName: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** The same for a value, as JSON that people can read. */
export function saveJson(fileName: string, value: unknown): void {
  saveText(fileName, 'application/json', `${JSON.stringify(value, null, 2)}\n`)
}

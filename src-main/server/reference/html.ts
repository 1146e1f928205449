// Text that becomes part of a page.

/** What is HTML already, so that nothing in it is escaped once more. */
export type Html = string

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): Html {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}

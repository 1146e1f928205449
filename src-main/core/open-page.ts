// The page that sends a browser to the dashboard with a ticket: a file, because what stands on a command line anybody on the machine can
// read. The command line writes it, and the gateway removes it.

/** How long a ticket is good, and its page kept. */
export const OPEN_PAGE_LIFE_MS = 60_000

/** `unique` makes it another one for each ticket. */
export function openPageName(unique: string): string {
  return `open-dashboard-${unique}.html`
}

export function isOpenPage(name: string): boolean {
  return /^open-dashboard-[\w-]+\.html$/.test(name)
}

// How the command line is typed where this gateway runs, which the server writes into the page.

/** What stands before a verb. */
export function ownCommand(): string {
  const told = document.querySelector('meta[name="farebox-command"]')?.getAttribute('content')
  // While the dashboard is developed, nobody has written anything into the page.
  return told === undefined || told === null || told === '__COMMAND__' ? 'farebox' : told
}

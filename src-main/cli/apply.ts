// farebox apply: brings the gateway to what a farebox.yaml says, and prints what changed.

import { AdminError } from '#cli/client.ts'
import type { Located } from '#cli/document.ts'
import { CommandFailure, UsageError } from '#cli/errors.ts'
import { text, toggle } from '#cli/flags.ts'
import { printable, view } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'
import type { Mistake } from '#cli/yaml-tree.ts'
import type { ApplyChange, ApplyDocument, ApplyResult } from '#contract/schemas.ts'

const apply = verb({
  name: 'apply',
  usage: '-f FILE [--dry-run]',
  summary: 'sets up what a farebox.yaml says; applying it again changes nothing',
  flags: { file: { ...text, short: 'f' }, dry_run: toggle },
  async run(client, { flags, sources }) {
    const { file, dry_run: isDryRun = false } = flags
    if (file === undefined) throw new UsageError('Say which file with -f FILE.')
    // Loaded only here: most commands read no YAML.
    const { mistakeLines, readDocumentFile } = await import('#cli/document.ts')
    const failure = (mistakes: readonly Mistake[]) => {
      const message = [`Nothing was changed. ${file} has mistakes:`, ...mistakeLines(file, mistakes)].join('\n')
      return new CommandFailure('document_error', message, { file, mistakes })
    }
    const read = await readDocumentFile(file, sources)
    if (read.type === 'mistakes') throw failure(read.mistakes)
    const body = { document: read.document, dry_run: isDryRun }
    try {
      const result = await client.call('apply', { body })
      return view(result, summary(result))
    } catch (error) {
      const mistake = located(error, read)
      throw mistake === undefined ? error : failure([mistake])
    }
  },
})

export const APPLY_VERBS = [apply]

/** A refusal that names a field of the document, with the line of that field; undefined for any other error. */
function located(error: unknown, { positionOf }: Located<ApplyDocument>): Mistake | undefined {
  if (!(error instanceof AdminError)) return undefined
  const path = (error.param ?? '').split('.').map((part) => (/^[0-9]+$/.test(part) ? Number(part) : part))
  // A refusal of the body's shape counts from the body, any other from the document in it.
  if (path[0] === 'document') path.shift()
  if (path[0] !== 'providers' && path[0] !== 'models' && path[0] !== 'packages') return undefined
  // The API's message names the field itself.
  return { ...positionOf(path), field: '', message: error.message }
}

const WORDS = { create: 'create', update: 'update', none: 'keep' } as const satisfies Record<
  ApplyChange['action'],
  string
>

function summary({ dry_run: isDryRun, changes }: ApplyResult): string {
  const lines = changes.map(({ kind, name, action, fields, note }) => {
    const which = action === 'update' && fields.length > 0 ? ` (${fields.join(', ')})` : ''
    return printable(`${WORDS[action]} ${kind} ${name}${which}${note === undefined ? '' : `. ${note}`}`)
  })
  const changed = changes.filter(({ action }) => action !== 'none').length
  const total =
    changed === 0 ? 'Nothing to change.' : `${changed} of ${changes.length} ${isDryRun ? 'would change' : 'changed'}.`
  return [...lines, total].join('\n')
}

// Edits of single values deep inside of a JSON text. Values beside them stay as they were written: numbers that no parser of
// ours could hold, the order of members, escapes.

import { scanArray, scanObject } from '#dialect/json-text.ts'
import { parseMeasured, type RequestBody } from '#dialect/request-body.ts'

/** One value of a text. `value` is its new JSON text; undefined takes the value out, with its name or its place. */
export type JsonEdit = { readonly path: readonly (string | number)[]; readonly value: string | undefined }

/** What is edited at a value and below it. A value that is replaced or taken out has nothing below it that counts. */
type Tree = { change: Pick<JsonEdit, 'value'> | undefined; readonly below: Map<string | number, Tree> }

/** The new texts of those members of a body that hold edited values. Paths begin with the member's name. */
export function editedMembers({ text, scan }: RequestBody, edits: readonly JsonEdit[]): Map<string, string> {
  const members = new Map<string, string>()
  for (const [name, tree] of treeOf(edits).below) {
    const where = scan.members.get(String(name))
    if (where === undefined) continue
    members.set(String(name), edited(text.slice(where.start, where.end), tree) ?? 'null')
  }
  return members
}

function treeOf(edits: readonly JsonEdit[]): Tree {
  const root: Tree = { change: undefined, below: new Map() }
  for (const { path, value } of edits) {
    let tree = root
    for (const step of path) {
      const next = tree.below.get(step) ?? { change: undefined, below: new Map() }
      tree.below.set(step, next)
      tree = next
    }
    tree.change = { value }
  }
  return root
}

/** The value's new text; undefined for one that is taken out. */
function edited(text: string, tree: Tree | undefined): string | undefined {
  if (tree === undefined) return text
  if (tree.change !== undefined) return tree.change.value
  return text.startsWith('[') ? editedArray(text, tree.below) : editedObject(text, tree.below)
}

function editedArray(text: string, below: Tree['below']): string {
  const items = scanArray(text).map(({ start, end }, index) => edited(text.slice(start, end), below.get(index)))
  return `[${items.filter((item) => item !== undefined).join(',')}]`
}

function editedObject(text: string, below: Tree['below']): string {
  const scan = scanObject(text)
  if ('problem' in scan) {
    // A name that stands twice: the text is made anew of what a parser takes.
    const plain = JSON.stringify(parseMeasured(text) ?? {})
    return 'problem' in scanObject(plain) ? text : editedObject(plain, below)
  }
  const members: string[] = []
  for (const [name, { start, end }] of scan.members) {
    const value = edited(text.slice(start, end), below.get(name))
    if (value !== undefined) members.push(`${JSON.stringify(name)}:${value}`)
  }
  for (const [name, { change }] of below) {
    if (change?.value === undefined || scan.members.has(String(name))) continue
    members.push(`${JSON.stringify(String(name))}:${change.value}`)
  }
  return `{${members.join(',')}}`
}

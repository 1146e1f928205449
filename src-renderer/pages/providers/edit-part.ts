import type { EditForm } from '#renderer/data/provider-form.ts'

/** What each part of the form that edits a provider gets. */
export type EditPartProps = {
  readonly form: EditForm
  readonly set: (change: Partial<EditForm>) => void
  readonly error: Error | null
}

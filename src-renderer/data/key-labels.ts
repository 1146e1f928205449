// What the calls of a key are counted to, as its forms have it.

import type { KeyEdit, KeyView } from '#contract/schemas.ts'

/** As they are typed; tags are divided by commas or spaces. */
export type LabelTexts = { readonly project: string; readonly tool: string; readonly tags: string }

export const LABEL_NAMES = ['project', 'tool', 'tags'] as const
export const NO_LABELS: LabelTexts = { project: '', tool: '', tags: '' }

export function labelTextsOf({ project, tool, tags }: KeyView): LabelTexts {
  return { project: project ?? '', tool: tool ?? '', tags: tags.join(', ') }
}

/** For a new key: what is empty is left out. */
export function labelsOf({ project, tool, tags }: LabelTexts) {
  const list = tagsOf(tags)
  return {
    ...(project.trim() === '' ? {} : { project: project.trim() }),
    ...(tool.trim() === '' ? {} : { tool: tool.trim() }),
    ...(list.length === 0 ? {} : { tags: list }),
  }
}

/** For a key that is there: what is empty is taken away. */
export function labelsBody({ project, tool, tags }: LabelTexts): KeyEdit {
  return { project: project.trim() || null, tool: tool.trim() || null, tags: tagsOf(tags) }
}

/** Each once, divided by commas or spaces. */
export function tagsOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((tag) => tag !== ''))]
}

// What the shell asks and says in dialogs. They belong to no window, since any may be closed beneath them.

import { dialog } from 'electron'
import type { Words } from '#shell/words.ts'

const TITLE = 'Farebox'

/** Says that something did not work, and why. */
export async function complain(words: Words, detail: string): Promise<void> {
  await dialog.showMessageBox({
    type: 'warning',
    title: TITLE,
    message: words.text('dialog.failed'),
    detail,
    noLink: true,
  })
}

/** Says why the gateway does not run; resolves to whether to try again. */
export async function asksToRetry(words: Words, detail: string): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: 'error',
    title: TITLE,
    message: words.text('dialog.notRunning'),
    detail,
    buttons: [words.text('switch.again'), words.text('dialog.notNow')],
    defaultId: 0,
    cancelId: 1,
    noLink: true,
  })
  return response === 0
}

/** What closing the window is to mean from now on. */
export async function askWhatClosingMeans(words: Words): Promise<'keep' | 'quit' | 'cancel'> {
  const { response } = await dialog.showMessageBox({
    type: 'question',
    title: TITLE,
    message: words.text('dialog.keepRunning'),
    detail: words.text('dialog.keepRunningText'),
    buttons: [words.text('dialog.keepIt'), words.text('quit.all'), words.text('dialog.cancel')],
    defaultId: 0,
    cancelId: 2,
    noLink: true,
  })
  return response === 0 ? 'keep' : response === 1 ? 'quit' : 'cancel'
}

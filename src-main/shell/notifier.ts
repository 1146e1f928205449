// Shows notifications. One that the system does not take is lost: what it said is in the menu and in the dashboard.

import { Notification } from 'electron'
import type { Notice } from '#shell/notices.ts'

/** An object that nobody holds may be collected before it is clicked. */
const shown = new Set<Notification>()
const MAX_HELD = 20

export function notify({ title, text }: Notice, onClick: () => void): void {
  if (!Notification.isSupported()) return
  const notification = new Notification({ title, body: text })
  const [oldest] = shown
  if (shown.size >= MAX_HELD && oldest !== undefined) shown.delete(oldest)
  shown.add(notification)
  notification.on('click', onClick)
  notification.on('close', () => shown.delete(notification))
  notification.on('failed', () => shown.delete(notification))
  notification.show()
}

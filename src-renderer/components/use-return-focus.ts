import { useRef } from 'react'

/** For panels that are opened by anything: what had the focus before gets it back, where it is still there. */
export function useReturnFocus() {
  const before = useRef<Element>(null)
  return {
    onOpenAutoFocus() {
      before.current = document.activeElement
    },
    onCloseAutoFocus(event: Event) {
      const element = before.current
      if (!(element instanceof HTMLElement) || !element.isConnected) return
      event.preventDefault()
      element.focus()
    },
  }
}

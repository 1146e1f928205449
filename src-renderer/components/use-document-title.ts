import { useEffect } from 'react'

/** Names the tab after the page. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Farebox`
  }, [title])
}

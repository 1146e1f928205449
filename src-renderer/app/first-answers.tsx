import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'

/** Longer than the answers of this machine take, and as long as the router waits for a page's code before it says that it is loading. */
const MOMENT_MS = 1000

/**
 * Keeps a page out of sight until its first answers are there, so that nothing moves when they come. After a moment it is shown as
 * far as it is, with grey places for the rest.
 */
export function FirstAnswers({ children }: { readonly children: ReactNode }) {
  const queryClient = useQueryClient()
  const [isShown, setIsShown] = useState(false)
  // Runs after the effects of the page, which are what asks.
  useEffect(() => {
    if (isShown) return
    const look = () => {
      // An answer may make a part ask further: that has happened once it is drawn.
      setTimeout(() => queryClient.isFetching({ predicate: isFirst }) === 0 && setIsShown(true))
    }
    look()
    const stopLooking = queryClient.getQueryCache().subscribe(look)
    const timer = setTimeout(() => setIsShown(true), MOMENT_MS)
    return () => {
      stopLooking()
      clearTimeout(timer)
    }
  }, [isShown, queryClient])
  // Not drawn at all: of what is drawn and invisible, browsers do not count the first movement once it is in sight.
  return <div hidden={!isShown}>{children}</div>
}

function isFirst(query: { readonly state: { readonly status: string } }): boolean {
  return query.state.status === 'pending'
}

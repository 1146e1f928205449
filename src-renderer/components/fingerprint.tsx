import { Fragment } from 'react'

/** Broken between its pairs alone, so that it can be compared. */
export function Fingerprint({ text }: { readonly text: string }) {
  const pairs = text.split(':')
  return (
    <code className="font-mono text-xs select-all">
      {pairs.map((pair, index) => (
        // The same pair may come twice; their places never change.
        <Fragment key={`${index} ${pair}`}>
          {index > 0 && ':'}
          <wbr />
          {pair}
        </Fragment>
      ))}
    </code>
  )
}

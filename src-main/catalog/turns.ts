// Changes to the catalogue take turns. Each one is decided on what is in memory and shows there only once it is on disk, so
// that two at a time would not see each other: the later one would undo the earlier one's work.

export type InTurn = <Result>(action: () => Promise<Result>) => Promise<Result>

/** Returns a function that runs each action when all those before it have ended, well or badly. */
export function takeTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (action) => {
    const turn = last.then(action)
    // The caller gets the error; the next change starts from the present state.
    last = turn.catch(() => undefined)
    return turn
  }
}

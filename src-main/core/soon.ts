// For steps that have their answer at once as a rule and have to wait at times. Each wait of an async function makes a promise, and
// what goes on after it, for every call; what is there already needs none of that.

export type Soon<Value> = Value | Promise<Value>

export function isLater<Value>(soon: Soon<Value>): soon is Promise<Value> {
  return soon instanceof Promise
}

/** Goes on with a value at once where it is there. */
export function whenThere<Value, Result>(soon: Soon<Value>, next: (value: Value) => Soon<Result>): Soon<Result> {
  return isLater(soon) ? soon.then(next) : next(soon)
}

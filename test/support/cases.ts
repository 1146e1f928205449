// How much a test tries: few cases in `npm test`, more in CI (`npm run test:all`, or a file that is named), and as many as anybody waits
// for with FAREBOX_LONG_TESTS.

const IS_LONG = process.env['FAREBOX_LONG_TESTS'] !== undefined
const IS_ALL = process.env['FAREBOX_ALL_TESTS'] !== undefined

export function cases<Value>(few: Value, all: Value, long: Value): Value {
  if (IS_LONG) return long
  return IS_ALL ? all : few
}

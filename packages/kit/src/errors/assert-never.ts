/** Ends a `switch` over a union: a new member fails to compile, a foreign value throws. */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected value: ${JSON.stringify(value)}`);
}
